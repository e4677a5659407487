#pragma once

#include <algorithm>

#include <fmt/format.h>

#include "base/process_memory.h"
#include "checker/search/cycles/scc_engine.h"
#include "checker/search/disk/disk_cache.h"
#include "checker/search/disk/disk_hull.h"
#include "checker/search/disk/disk_worker.h"
#include "checker/search/engine/engines.h"

namespace cmc {

template <unsigned W>
DiskCache<W>::DiskCache(SearchContext& context)
    : DiskEngine<W>(context),
      frontier_(plan_.order, *plan_.files, fmt::format("{}/open.{}", plan_.directory->path(), plan_.options.layout),
                plan_.open_bytes),
      parked_(context.options.pending_guards) {
  const uint32_t count = std::min(plan_.stripes, plan_.options.partitions);
  for (uint32_t i = 0; i < count; ++i) {
    Stripe& stripe = *stripes_.emplace_back(std::make_unique<Stripe>());
    stripe.first_partition = hasher_.first_partition(i, count);
    stripe.end_partition = hasher_.first_partition(i + 1, count);
    by_partition_.resize(stripe.end_partition, &stripe);
  }
}

template <unsigned W>
DiskCache<W>::~DiskCache() = default;

template <unsigned W>
std::unique_ptr<CachedStore<W>> DiskCache<W>::make_store(uint32_t number) {
  const uint32_t count = static_cast<uint32_t>(stripes_.size());
  return std::make_unique<CachedStore<W>>(plan_.options, typename CachedStore<W>::Stripe{number, count}, hasher_,
                                          word_bits_, *plan_.files);
}

template <unsigned W>
void DiskCache<W>::open_stores() {
  for (uint32_t i = 0; i < stripes_.size(); ++i) stripes_[i]->store = make_store(i);
}

template <unsigned W>
void DiskCache<W>::open_workers() {
  for (uint32_t i = 0; i < context_.workers; ++i) workers_.push_back(std::make_unique<Worker>(*this, i));
}

template <unsigned W>
void DiskCache<W>::start() {
  open_stores();
  open_workers();
  Bytes scratch;
  const Key<W> initial{};
  const HashedKey<W> hashed = hasher_(initial, scratch);
  CHECK(stripe_of(hashed).store->offer(hashed, {}) == CachedStore<W>::Offer::kNew);
  static_cast<void>(check(frontier_.push({initial, TrailLog::kRoot, 0, 0})));
  frontier_.next_level();
}

// --- another layout

template <unsigned W>
bool DiskCache<W>::ready_for_relayout() {
  if (resolve_all() == Resolved::kStopped) return false;
  bool ok = true;
  for_each_store([&](CachedStore<W>& store) { ok = ok && check(store.write_waiting()); });
  return ok;
}

template <unsigned W>
void DiskCache<W>::layout_changed() {
  ++plan_.options.layout;
  plan_.fit(context_.space->layout().words(), context_.space->layout().bits());
  final_totals_ = totals();
  this->end(workers_);
  if (plan_.options.codec != PageCodec::kKeys) return;
  for_each_store(
      [&](CachedStore<W>& store) { static_cast<void>(!context_.control.stopped() && check(store.stash())); });
}

template <unsigned W>
template <unsigned V, class Convert>
Status DiskCache<W>::take_over_states(DiskCache<V>& from, Convert&& convert) {
  Status status = Success{};
  // Keys go over one by one. Where that is stopped, the old store's figures are the search's.
  const DiskTotals before = from.totals();
  if (plan_.options.codec != PageCodec::kKeys) {
    for (uint32_t i = 0; i < stripes_.size(); ++i) {
      stripes_[i]->store = make_store(i);
      if (status.ok()) status = stripes_[i]->store->take_over(*from.stripes_[i]->store, convert);
      from.stripes_[i]->store.reset();
    }
    return status;
  }
  open_stores();
  for (uint32_t i = 0; i < stripes_.size(); ++i) stripes_[i]->store->inherit(*from.stripes_[i]->store);
  Bytes scratch;
  if (context_.control.stopped()) final_totals_ = before;  // by layout_changed()
  for (uint32_t i = 0; i < stripes_.size() && status.ok() && !final_totals_; ++i) {
    status = from.stripes_[i]->store->unstash([&](const Key<V>& old, auto meta, bool cached) {
      const Key<W> key = convert(old);
      const HashedKey<W> hashed = hasher_(key, scratch);
      const Status received = stripe_of(hashed).store->receive(hashed, key, meta, cached);
      return received.ok() ? this->note_converted(before) : received;
    });
    stripes_[i]->store->add_reading(*from.stripes_[i]->store);
    from.stripes_[i]->store.reset();
  }
  return status;
}

template <unsigned W>
template <unsigned V>
void DiskCache<W>::take_over(DiskCache<V>& from, const Layout& old_layout) {
  const Converter<V, W> convert(old_layout, context_.space->layout());
  static_cast<void>(check(take_over_states(from, convert)));
  open_workers();
  memo_.take_over(from.memo_, convert);
  for (uint32_t i = 0; i < workers_.size(); ++i) workers_[i]->take_over_habits(from.habits_[i]);
  from.parked_.take_all([&](const typename DiskCache<V>::Open& open, uint64_t) {
    static_cast<void>(check(from.frontier_.push_again(open)));
  });
  if (!context_.control.stopped()) static_cast<void>(check(frontier_.take_over(from.frontier_, convert)));
}

// --- checkpoints

// What the figures of a search that goes on need (StoreFigures); the others count from its last start on.
inline constexpr std::pair<const char*, uint64_t StoreFigures::*> kCacheCounters[] = {
    {"bloom_queries", &StoreFigures::bloom_queries},
    {"bloom_resolved", &StoreFigures::bloom_resolved},
    {"lossy_queries", &StoreFigures::lossy_queries},
    {"lossy_resolved", &StoreFigures::lossy_resolved},
    {"lookups", &StoreFigures::lookups},
    {"revisits", &StoreFigures::revisits},
    {"reopened", &StoreFigures::reopened},
    {"duplicate_candidates", &StoreFigures::duplicate_candidates},
    {"max_lookup", &StoreFigures::max_lookup}};

template <unsigned W>
void DiskCache<W>::save(CheckpointWriter& writer) {
  Manifest& manifest = writer.manifest();
  manifest.engine = kCachedEngine;
  manifest.words = W;
  if (final_totals_) return;  // the search is over, and its states have become the hull's
  const auto note = [&](const Status& status) {
    if (!status.ok()) writer.fail(status.error());
  };
  uint64_t candidates = 0;
  for_each_store([&](const CachedStore<W>& store) { candidates += store.candidates(); });
  OutStream to = writer.open("open");
  const auto save_one = [&](const Open& open) {
    save_open_state<W>(to, open, save_key<W>);
    return Status(Success{});
  };
  // Those of the level that is being expanded come first.
  to.number(frontier_.all() + parked_.size());
  manifest.counters["level"] = frontier_.size() + parked_.size();
  note(frontier_.visit(save_one));
  parked_.visit([&](const Open& open) { static_cast<void>(save_one(open)); });
  note(frontier_.visit_next(save_one));
  to.number(candidates);
  lasting_files_.keep(context_.options.checkpoints->last());
  StatesFiles<W> states(writer, this->states());
  for (const std::unique_ptr<Stripe>& stripe : stripes_) {
    CachedStore<W>& store = *stripe->store;
    note(store.visit_unwritten(
        [&](const Key<W>& key) { states.add(key); },
        [&](const Key<W>& key, const Origin& origin) { save_candidate<W>(to, key, origin, save_key<W>); }));
    for (uint32_t i = stripe->first_partition; i < stripe->end_partition; ++i) this->save_runs(states, store, i);
  }
  states.flush();
  writer.add(std::move(to));
  if (plan_.trail != nullptr) save_trail(context_, *plan_.trail, writer);
  // Candidates are offered once more.
  StoreFigures figures = totals().figures;
  for (uint64_t* const offers : {&figures.bloom_queries, &figures.lossy_queries, &figures.lookups})
    *offers -= candidates;
  for (const auto& [name, member] : kCacheCounters) manifest.counters[name] = figures.*member;
}

template <unsigned W>
bool DiskCache<W>::load(const Manifest& manifest) {
  if (!manifest.has_paths()) plan_.trail.reset();
  open_stores();
  open_workers();
  begin_with(manifest);
  const bool loaded = check(load_parts(manifest));
  saved_explored_ = frontier_.all() == 0;
  return loaded;
}

// Of a search in RAM: as if the Bloom filter had known of each state that it was new, and the cache of all others
// that they were not.
template <unsigned W>
void DiskCache<W>::begin_with(const Manifest& manifest) {
  StoreFigures figures;
  if (manifest.engine == kCachedEngine) {
    for (const auto& [name, member] : kCacheCounters) figures.*member = manifest.counter(name);
  } else {
    figures.bloom_queries = manifest.transitions - manifest.counter("asleep_steps") + 1;
    figures.bloom_resolved = manifest.states;
    figures.lossy_queries = figures.lossy_resolved = figures.bloom_queries - manifest.states;
  }
  figures.lossy_elements = manifest.states;
  figures.cache_failures = figures.lookups;
  stripes_.front()->store->begin_with(figures);
}

template <unsigned W>
Status DiskCache<W>::load_parts(const Manifest& manifest) {
  const std::string& directory = context_.saved_in();
  Bytes scratch;
  uint64_t states = 0;
  Status received = Success{};
  Status loaded = load_states<W>(directory, manifest, [&](const Key<W>& key) {
    const HashedKey<W> hashed = hasher_(key, scratch);
    received = stripe_of(hashed).store->receive(hashed, key);
    ++states;
    return received.ok();
  });
  if (!loaded.ok() || !received.ok()) return loaded.ok() ? received : loaded;
  if (states != manifest.states) return Error{"states of the checkpoint are missing"};
  if (plan_.trail != nullptr && manifest.is_of_disk())
    loaded = load_trail(directory, nullptr, manifest, *plan_.trail);
  for (const CheckpointFile& file : manifest.files_of("open")) {
    InStream from(directory, file);
    if (loaded.ok()) loaded = load_open(from, manifest);
  }
  return loaded;
}

template <unsigned W>
Status DiskCache<W>::load_open(InStream& from, const Manifest& manifest) {
  const auto push = [&](const Open& open) { return frontier_.push_again(open); };
  const auto push_next = [&](const Open& open) { return frontier_.push(open); };
  if (manifest.engine == kLevelsEngine) return load_levels<W>(from, push, push_next);
  if (manifest.engine != kCachedEngine) return load_stacks<W>(from, PathsInRam<W>(plan_, *workers_.front()), push);
  uint64_t left = manifest.counter("level");
  return load_open_states<W>(
      from, nullptr, plan_.trail.get(),
      [&](const Open& open) { return left > 0 ? --left, push(open) : push_next(open); },
      [&](const Key<W>& key, const Origin& origin) { return offer_again(key, origin); });
}

template <unsigned W>
Status DiskCache<W>::offer_again(const Key<W>& key, const Origin& origin) {
  Bytes scratch;
  const HashedKey<W> hashed = hasher_(key, scratch);
  Stripe& stripe = stripe_of(hashed);
  std::vector<Found> found;
  if (stripe.store->offer(hashed, origin) == CachedStore<W>::Offer::kNew) found.push_back({key, origin});
  while (const auto full = stripe.store->needs_check()) {
    if (!resolve_partition(stripe, *full, found)) break;
  }
  put(found);
  return stripe.store->status();
}

// --- open states

template <unsigned W>
void DiskCache<W>::put(std::span<const Found> found) {
  if (found.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    for (const Found& each : found) {
      const Result<uint64_t> number = plan_.log_step(each.origin.parent, each.origin.index);
      if (!check(number) || !check(frontier_.push({each.key, number.value(), each.origin.depth,
                                                   static_cast<SleepMask>(each.origin.asleep)})))
        break;
    }
  }
  if (context_.workers > 1) crew_.gate().change([] {});
}

// In the order in which they were taken.
template <unsigned W>
void DiskCache<W>::put_again(std::span<const Open> states) {
  const std::lock_guard lock(mutex_);
  for (size_t i = states.size(); i-- > 0;) {
    if (!check(frontier_.push_again(states[i]))) return;
  }
}

template <unsigned W>
void DiskCache<W>::take_open(std::vector<Open>& batch) {
  const std::lock_guard lock(mutex_);
  static_cast<void>(check(frontier_.pop(BatchExpander<W>::kBatch, batch)));
}

template <unsigned W>
bool DiskCache<W>::take(std::vector<Open>& batch) {
  for (batch.clear();;) {
    while (!crew_.halted() && parked_.full() && !parked_.some_ready()) wait_for_parked();
    if (crew_.halted()) return false;
    if (parked_.some_ready()) {
      batch = parked_.take(BatchExpander<W>::kBatch);
    } else {
      take_open(batch);
    }
    if (!batch.empty()) return true;
    if (rest() == Rested::kAlone) see_to_candidates();
  }
}

// Until there is something to do; for one worker only, when all others rest and nothing is open.
template <unsigned W>
typename DiskCache<W>::Rested DiskCache<W>::rest() {
  Rested rested = Rested::kWoken;
  crew_.gate().rest([&] { ++waiting_; },
                    [&] {
                      const bool woken = crew_.halted() || frontier_.size() > 0 || parked_.some_ready();
                      if (!woken && waiting_ < context_.workers) return false;
                      rested = woken ? Rested::kWoken : Rested::kAlone;
                      --waiting_;
                      return true;
                    });
  return rested;
}

template <unsigned W>
void DiskCache<W>::see_to_candidates() {
  const bool levels = plan_.order == UsedOrder::kBreadthFirst;
  const Resolved resolved = levels ? resolve_all() : resolve_most();
  if (resolved == Resolved::kStopped) return crew_.halt(End::kStopped);
  if (resolved == Resolved::kSome) return;
  // Others may be at work on parked states. If they still rest, what is left to do is known.
  bool alone = false;
  crew_.gate().change([&] { alone = waiting_ + 1 == context_.workers && !parked_.some_ready(); });
  if (!alone || frontier_.size() > 0) return;
  if (!parked_.empty()) return wait_for_parked();
  bool next = false;
  {
    const std::lock_guard lock(mutex_);
    next = frontier_.next_level();
  }
  if (!next) return crew_.halt(End::kExplored);
  crew_.gate().change([] {});
}

template <unsigned W>
void DiskCache<W>::wait_for_parked() {
  parked_.wait();
  check_limits("waiting for answers");
}

// --- candidates

template <unsigned W>
bool DiskCache<W>::resolve_partition(Stripe& stripe, uint32_t partition, std::vector<Found>& found) {
  const auto on_new = [&](const Key<W>& key, const Origin& origin) { found.push_back({key, origin}); };
  return check(stripe.store->resolve(partition, on_new));
}

template <unsigned W>
typename DiskCache<W>::Resolved DiskCache<W>::resolve_all() {
  Resolved resolved = Resolved::kNone;
  plan_.explicit_lookups.begin_round();
  for (const std::unique_ptr<Stripe>& stripe : stripes_) {
    for (uint32_t partition = stripe->first_partition; partition < stripe->end_partition; ++partition) {
      const Resolved one = resolve_one(*stripe, partition);
      if (one == Resolved::kStopped) return one;
      if (one != Resolved::kSome) continue;
      plan_.explicit_lookups.note(partition);
      resolved = one;
    }
  }
  plan_.explicit_lookups.begin_round();
  return resolved;
}

template <unsigned W>
typename DiskCache<W>::Resolved DiskCache<W>::resolve_most() {
  Stripe* most = nullptr;
  uint32_t its_partition = 0;
  uint64_t candidates = 0;
  for (const std::unique_ptr<Stripe>& stripe : stripes_) {
    const std::lock_guard lock(stripe->mutex);
    for (uint32_t partition = stripe->first_partition; partition < stripe->end_partition; ++partition) {
      if (stripe->store->candidates(partition) <= candidates) continue;
      candidates = stripe->store->candidates(partition);
      most = stripe.get();
      its_partition = partition;
    }
  }
  if (most == nullptr) return Resolved::kNone;
  plan_.explicit_lookups.note(its_partition);
  return resolve_one(*most, its_partition);
}

template <unsigned W>
typename DiskCache<W>::Resolved DiskCache<W>::resolve_one(Stripe& stripe, uint32_t partition) {
  resolved_.clear();
  {
    const std::lock_guard lock(stripe.mutex);
    const uint64_t candidates = stripe.store->candidates(partition);
    if (candidates == 0) return Resolved::kNone;
    resolved_.reserve(candidates);
    if (!resolve_partition(stripe, partition, resolved_)) return Resolved::kStopped;
  }
  // The deepest on top, those of one depth together, so that batches are full.
  if (plan_.order == UsedOrder::kDepthFirst) {
    std::ranges::sort(resolved_, {}, [](const Found& found) { return found.origin.depth; });
  }
  put(resolved_);
  check_limits(fmt::format("looking up partition {} of {}", partition + 1, plan_.options.partitions).c_str());
  return context_.control.stopped() ? Resolved::kStopped : Resolved::kSome;
}

// --- the run

template <unsigned W>
End DiskCache<W>::run() {
  crew_.begin();
  crew_.explore(
      context_.workers, [&](uint32_t number) { workers_[number]->run(); }, [&] { return states(); });
  waiting_ = 0;
  const End end = crew_.end();
  if (end != End::kExplored) return end;
  if (saves_before_hull()) return End::kCheckpoint;
  note_left();
  return !context_.find_cycles || shows_absence() ? end : End::kStopped;
}

template <unsigned W>
void DiskCache<W>::note_left() {
  left_ = {frontier_.all(), 0, parked_.size()};
  for_each_store([&](const CachedStore<W>& store) { left_.candidates += store.candidates(); });
}

// The store of visited nodes becomes the hull's.
template <unsigned W>
bool DiskCache<W>::shows_absence() {
  if (plan_.options.codec != PageCodec::kKeys) {
    context_.control.stop(ReasonKind::kStore, "cycles beyond memory are found with --page-codec keys only");
    return false;
  }
  final_totals_ = totals();
  const ClaimRegions regions(context_.model);
  ProductGraph<W> graph = workers_.front()->graph(regions, fair_processes(context_.model, context_.options.fairness));
  DiskNodesOptions options;
  options.store = plan_.options;
  options.first_partition = plan_.options.partitions;
  options.nodes = final_totals_->states;
  if (context_.options.memory_limit_bytes > 0) options.memory_bytes = memory_for_hull();
  const ShouldStop should_stop = [this](uint64_t bytes) {
    if (memo_.crowded()) memo_.make_room();
    hull_bytes_ = bytes;
    return stops_hull();
  };
  DiskHull<ProductGraph<W>> hull(graph, options, word_bits_, *plan_.files, should_stop);
  for (const auto& stripe : stripes_) {
    if (!check(stripe->store->drain([&](const Key<W>& key) { return hull.add(key); }))) return false;
  }
  const Result<HullResult> result = hull.run();
  if (!check(result)) return false;
  if (graph.too_many_processes()) context_.control.stop(ReasonKind::kLimit, kTooManyFairProcesses);
  if (result.value().stopped || context_.control.stopped()) return false;
  // Its path is looked for in RAM (SearchControl::report_cycle).
  if (result.value().nodes > 0) context_.control.report_cycle({}, FoundError::kNoLoop, 0);
  return result.value().nodes == 0;
}

// What the limit leaves beside the program and the search, when the caches are free. A twentieth is for what the memo
// and the heap take meanwhile.
template <unsigned W>
uint64_t DiskCache<W>::memory_for_hull() {
  release_freed();
  uint64_t caches = 0;
  for_each_store([&](const CachedStore<W>& store) { caches += store.memory_bytes(); });
  const uint64_t limit = context_.options.memory_limit_bytes;
  const uint64_t resident = resident_bytes();
  const uint64_t others = resident - std::min(resident, caches) + limit / 20;
  return std::max(limit - std::min(limit, others), kLeastHullBytes);
}

template <unsigned W>
bool DiskCache<W>::stops_batch() {
  if (final_totals_) return stops_hull();
  check_limits("searching");
  return crew_.abandoned();
}

template <unsigned W>
bool DiskCache<W>::stops_hull() {
  SearchControl::Usage usage = this->usage_of("looking for cycles", final_totals_->states);
  usage.memory_bytes = hull_bytes_ + memo_.memory_bytes() + context_.space->memory_bytes();
  SearchControl& control = context_.control;
  control.check(usage);
  // What the hull has found so far is not saved: the search goes on from where it begins.
  if (control.wants_checkpoint()) control.checkpoint_is_written(outcome_of_saving(context_, Success{}), 0);
  return control.stopped();
}

template <unsigned W>
SearchControl::Usage DiskCache<W>::usage(const char* phase) {
  SearchControl::Usage usage = this->usage_of(phase, 0);
  for_each_store([&](CachedStore<W>& store) {
    const StoreFigures figures = store.figures();
    usage.states += figures.lossy_elements;
    usage.candidates += store.candidates();
    usage.lossy_entries += figures.lossy_left;
    usage.lossy_capacity += figures.lossy_capacity;
    usage.reclaimed += figures.reclaimed;
    usage.pages_written += figures.pages_written;
    usage.pages_read += figures.pages_read;
    usage.memory_bytes += store.memory_bytes();
  });
  {
    const std::lock_guard lock(mutex_);
    usage.open_states = frontier_.all();
    usage.memory_bytes += frontier_.memory_bytes() + plan_.trail_bytes();
  }
  usage.open_states += parked_.size();
  usage.memory_bytes += context_.space->memory_bytes() + parked_.bytes() + plan_.file_bytes();
  usage.depth = context_.counts[0].deepest.load(std::memory_order_relaxed);
  return usage;
}

template <unsigned W>
uint64_t DiskCache<W>::states() {
  if (final_totals_) return final_totals_->states;
  uint64_t total = 0;
  for_each_store([&](CachedStore<W>& store) { total += store.figures().lossy_elements; });
  return total;
}

template <unsigned W>
DiskTotals DiskCache<W>::totals() {
  if (final_totals_) return *final_totals_;
  DiskTotals totals;
  totals.states = states();
  for_each_store([&](CachedStore<W>& store) {
    totals.figures += store.figures();
    totals.expected_omissions += store.expected_omissions();
    totals.undecided = totals.undecided || store.candidates() > 0;
  });
  uint64_t recent = plan_.recent_hits;
  for (const std::unique_ptr<Worker>& worker : workers_) recent += worker->recent_hits();
  totals.figures.bloom_queries += recent;
  totals.figures.lossy_queries += recent;
  totals.figures.lossy_resolved += recent;
  totals.figures.explicit_lookups = plan_.explicit_lookups.rounds();
  totals.explicit_partitions = plan_.explicit_lookups.partitions();
  totals.wait_seconds = plan_.files->wait_seconds();
  return totals;
}

}  // namespace cmc
