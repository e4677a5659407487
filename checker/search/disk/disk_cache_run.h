#pragma once

#include <algorithm>

#include <fmt/format.h>

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
  for (const auto& stripe : from.stripes_) {
    if (status.ok()) status = stripe->store->stash();
  }
  open_stores();
  for (uint32_t i = 0; i < stripes_.size(); ++i) stripes_[i]->store->inherit(*from.stripes_[i]->store);
  Bytes scratch;
  for (uint32_t i = 0; i < stripes_.size() && status.ok(); ++i) {
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
  for (uint32_t i = 0; i < workers_.size(); ++i) workers_[i]->take_over_habits(*from.workers_[i]);
  for (const auto& worker : from.workers_) plan_.recent_hits += worker->recent_hits();
  from.workers_.clear();
  from.parked_.take_all([&](const typename DiskCache<V>::Open& open, uint64_t) {
    static_cast<void>(check(from.frontier_.push_again(open)));
  });
  if (!context_.control.stopped()) static_cast<void>(check(frontier_.take_over(from.frontier_, convert)));
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
  crew_.explore(
      context_.workers, [&](uint32_t number) { workers_[number]->run(); }, [&] { return states(); });
  waiting_ = 0;
  const End end = crew_.end();
  if (end != End::kExplored) return end;
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
  if (const uint64_t limit = context_.options.memory_limit_bytes; limit > 0) {
    const uint64_t others = memo_.memory_bytes() + context_.space->memory_bytes() + (limit >> 2);
    options.memory_bytes = std::max(limit > others ? limit - others : 0, kLeastHullBytes);
  }
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
  context_.control.check(usage);
  return context_.control.stopped();
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
