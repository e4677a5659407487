#include "checker/search/store_search.h"

namespace cmc {

template <unsigned W>
class StoreSearch<W>::Worker : public KeyExpander<W> {
 public:
  using typename KeyExpander<W>::State;
  Worker(StoreSearch& search, uint32_t number)
      : KeyExpander<W>(search.context_, search.memo_, number), search_(search) {}

  void run() {
    while (search_.take(batch_)) {
      expand_batch();
      if (++batches_ % kBatchesPerCheck == 0) search_.check_limits("searching");
    }
  }
  [[nodiscard]] uint64_t recent_hits() const { return recent_hits_; }

 private:
  static constexpr uint64_t kBatchesPerCheck = 32;
  static constexpr size_t kAhead = 12;  // successors for which memory is asked before they are offered

  void expand_batch() {
    uint64_t transitions = 0;
    const size_t count = expand_states(transitions);
    if (this->memo_.crowded()) this->memo_.make_room();
    offer(count);
    this->add(this->counts_.transitions, transitions);
    if (this->context_.checker != nullptr) check_steps(count);
    for (size_t i = 0; i < count && !this->context_.control.stopped(); ++i) {
      if (flags_[i].plain) continue;
      if (flags_[i].pending != 0) {
        search_.park(batch_[i], flags_[i].pending);
      } else {
        tell_about(batch_[i], flags_[i]);
      }
    }
    if (this->context_.control.stopped()) return search_.halt();
    put_back(count);
  }

  // The first states of the batch, all of them if they have no more than kBatchSuccessors successors and need no
  // re-layout; returns how many.
  size_t expand_states(uint64_t& transitions) {
    const auto using_memo = this->generator_.use_memo();
    successors_.clear();
    size_t count = 0;
    for (; count < batch_.size() && successors_.size() < this->kBatchSuccessors; ++count) {
      const size_t begin = successors_.size();
      if (!this->expand_state(batch_[count].key, successors_, flags_[count], transitions)) {
        successors_.shrink(begin);
        relayout_ = true;
        break;
      }
      if (flags_[count].pending != 0) [[unlikely]]
        successors_.shrink(begin);
      ends_[count] = successors_.size();
    }
    return count;
  }

  // Offers the successors of the first `count` states of the batch to the stores, to one after the other, so that a
  // lock is taken once for all: taken for each successor, two threads were half as fast as one.
  void offer(size_t count) {
    hashed_.resize(std::max(hashed_.size(), successors_.size()));
    owner_.resize(hashed_.size());
    for (size_t i = 0; i < successors_.size(); ++i) {
      const State& state = successors_[i];
      const bool recent = known_.at(state) == state;
      recent_hits_ += recent ? 1 : 0;
      if (!recent) hashed_[i] = search_.hasher_(state, scratch_);
      owner_[i] = recent ? nullptr : &search_.stripe_of(hashed_[i]);
    }
    candidates_.fill(0);
    for (size_t i = 0; i < search_.stripes_.size(); ++i) {
      offer(count, *search_.stripes_[(i + this->number_) % search_.stripes_.size()]);
    }
    for (size_t parent = 0, begin = 0; parent < count; begin = ends_[parent++]) {
      if (flags_[parent].pending != 0) [[unlikely]]
        continue;
      const uint64_t successors = ends_[parent] - begin;
      if (candidates_[parent] > 0 && candidates_[parent] == successors) {
        ++this->counts_.dfs_problems;
        this->counts_.dfs_problems_real += successors > 1 ? 1 : 0;
      }
      note_expanded(batch_[parent].key, successors);
    }
    search_.put(found_);
    found_.clear();
  }
  // Those that belong to one stripe.
  void offer(size_t count, Stripe& stripe) {
    const std::lock_guard lock(stripe.mutex);
    for (size_t parent = 0, i = 0; parent < count; ++parent) {
      for (const size_t begin = i; i < ends_[parent]; ++i) {
        if (const size_t ahead = i + kAhead; ahead < successors_.size() && owner_[ahead] == &stripe) {
          stripe.store->prefetch(hashed_[ahead]);
        }
        if (owner_[i] != &stripe) continue;
        candidates_[parent] += offer(stripe, hashed_[i], successors_[i], batch_[parent].number, i - begin) ? 1 : 0;
      }
    }
  }
  // True: it has become a candidate.
  bool offer(Stripe& stripe, const HashedKey<W>& hashed, const Key<W>& key, uint64_t parent, uint64_t index) {
    using Offer = typename CachedStore<W>::Offer;
    if (index >> kIndexBits != 0) {
      this->context_.control.stop("limit", "a state has more than a million successors");
      return false;
    }
    const Offer answer = stripe.store->offer(hashed, tag_of(parent, index));
    if (answer == Offer::kFailed) {
      search_.check(stripe.store->status());
      return false;
    }
    if (answer == Offer::kNew) found_.push_back({key, parent, index});
    known_.at(key) = key;
    while (const auto full = stripe.store->needs_check()) {
      found_.reserve(found_.size() + stripe.store->candidates(*full));
      if (!search_.resolve_partition(stripe, *full, found_)) return false;
    }
    return answer == Offer::kCandidate;
  }
  void note_expanded(const Key<W>& key, uint64_t successors) {
    if (!wants_outgoing_) return;
    const HashedKey<W> hashed = search_.hasher_(key, scratch_);
    Stripe& stripe = search_.stripe_of(hashed);
    const std::lock_guard lock(stripe.mutex);
    stripe.store->expanded(hashed, successors);
  }

  // What was not expanded waits again.
  void put_back(size_t count) {
    if (count == batch_.size()) return;
    const std::lock_guard lock(search_.mutex_);
    for (size_t i = batch_.size(); i-- > count;) {
      if (!search_.push_again(batch_[i])) break;
    }
    if (relayout_) {
      search_.relayout_ = true;
      search_.halted_ = true;
    }
    search_.changed_.notify_all();
  }

  void check_steps(size_t count) {
    std::vector<State> states;
    for (size_t i = 0; i < count; ++i) states.push_back(batch_[i].key);
    KeyExpander<W>::check_steps(states);
  }

  void tell_about(const Open& open, const ExpansionFlags& flags) {
    this->tell(open.key, flags, search_.plan_.levels, [&] { return path_to(open); });
    static_cast<void>(search_.check(std::exchange(lost_path_, Success{})));
  }
  // From the initial state, whose key is 0 in every layout.
  [[nodiscard]] std::vector<State> path_to(const Open& open) {
    std::unique_lock lock(search_.mutex_);
    const Result<std::vector<uint64_t>> indices = search_.plan_.trail->path_to(open.number);
    lock.unlock();
    std::vector<State> path{State{}};
    if (!indices.ok()) {  // the control is locked: it is told later
      lost_path_ = Error{indices.error()};
      this->context_.control.path_is_lost();
      return {};
    }
    KeyBuffer<W> successors;
    ExpansionFlags flags;
    for (const uint64_t index : indices.value()) {
      successors.clear();
      const auto using_memo = this->generator_.use_memo();
      CHECK(this->generator_.expand(path.back(), successors, flags));
      CHECK(index < successors.size());
      path.push_back(successors[index]);
    }
    CHECK(path.back() == open.key);
    return path;
  }

  StoreSearch& search_;
  const bool wants_outgoing_ = search_.stripes_.front()->store->wants_outgoing();
  std::vector<Open> batch_;
  KeyBuffer<W> successors_;
  std::array<size_t, KeyExpander<W>::kBatch> ends_{};
  std::array<ExpansionFlags, KeyExpander<W>::kBatch> flags_;
  std::vector<HashedKey<W>> hashed_;
  std::vector<Stripe*> owner_;  // by successor; null: it is known, and not offered
  std::array<uint64_t, KeyExpander<W>::kBatch>
      candidates_{};  // by state of the batch: successors that have become one
  RecentStates<W>
      known_;  // the first stage; the figures count it as a part of the lossy cache, whose queries it spares
  uint64_t recent_hits_ = 0;
  std::vector<Found> found_;
  Status lost_path_ = Success{};
  Bytes scratch_;
  uint64_t batches_ = 0;
  bool relayout_ = false;
};

template <unsigned W>
StoreSearch<W>::StoreSearch(KeySearchContext& context, StorePlan& plan)
    : context_(context),
      plan_(plan),
      vectors_(*context.space),
      word_bits_(context.space->layout().bits_of_words<W>()),
      hasher_(plan.options, word_bits_, vectors_),
      memo_(context.space->layout(), context.memo_bytes, context.workers),
      parked_(context.options.pending_guards) {
  const uint32_t count = std::min(plan.stripes, plan.options.partitions);
  for (uint32_t i = 0; i < count; ++i) {
    Stripe& stripe = *stripes_.emplace_back(std::make_unique<Stripe>());
    stripe.first_partition = hasher_.first_partition(i, count);
    stripe.end_partition = hasher_.first_partition(i + 1, count);
    by_partition_.resize(stripe.end_partition, &stripe);
  }
  if (breadth_first()) {
    level_ = std::make_unique<SpillQueue<Open>>(*plan.files, path_of("level-a"), plan.open_bytes / 2);
    next_level_ = std::make_unique<SpillQueue<Open>>(*plan.files, path_of("level-b"), plan.open_bytes / 2);
  } else {
    open_ = std::make_unique<SpillQueue<Open>>(*plan.files, path_of("open"), plan.open_bytes);
  }
}

template <unsigned W>
StoreSearch<W>::~StoreSearch() {
  context_.note(memo_);
}

template <unsigned W>
std::unique_ptr<CachedStore<W>> StoreSearch<W>::make_store(uint32_t number) {
  const uint32_t count = static_cast<uint32_t>(stripes_.size());
  return std::make_unique<CachedStore<W>>(plan_.options, typename CachedStore<W>::Stripe{number, count}, hasher_,
                                          word_bits_, *plan_.files);
}

template <unsigned W>
void StoreSearch<W>::open_stores() {
  for (uint32_t i = 0; i < stripes_.size(); ++i) stripes_[i]->store = make_store(i);
}

template <unsigned W>
void StoreSearch<W>::open_workers() {
  for (uint32_t i = 0; i < context_.workers; ++i) workers_.push_back(std::make_unique<Worker>(*this, i));
}

// Everything that is known, so that nothing is undecided when keys change.
template <unsigned W>
bool StoreSearch<W>::prepare_relayout() {
  halted_ = false;
  if (resolve_all() == Resolved::kStopped) return false;
  bool ok = true;
  for_each_store([&](CachedStore<W>& store) { ok = ok && check(store.write_waiting()); });
  return ok;
}

template <unsigned W>
void StoreSearch<W>::start() {
  open_stores();
  open_workers();
  Bytes scratch;
  const Key<W> initial{};
  const HashedKey<W> hashed = hasher_(initial, scratch);
  CHECK(stripe_of(hashed).store->offer(hashed, 0) == CachedStore<W>::Offer::kNew);
  static_cast<void>(push({initial, TrailLog::kRoot}));
  next_level();
}

template <unsigned W>
template <unsigned V, class Convert>
Status StoreSearch<W>::take_over_states(StoreSearch<V>& from, Convert&& convert) {
  Status status = Success{};
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
      return stripe_of(hashed).store->receive(hashed, key, meta, cached);
    });
    stripes_[i]->store->add_reading(*from.stripes_[i]->store);
    from.stripes_[i]->store.reset();
  }
  return status;
}

template <unsigned W>
template <unsigned V>
void StoreSearch<W>::take_over(StoreSearch<V>& from, const Layout& old_layout) {
  const Converter<V, W> convert(old_layout, context_.space->layout());
  static_cast<void>(check(take_over_states(from, convert)));
  open_workers();
  memo_.take_over(from.memo_, convert);
  for (uint32_t i = 0; i < workers_.size(); ++i) workers_[i]->take_over_habits(*from.workers_[i]);
  for (const auto& worker : from.workers_) plan_.recent_hits += worker->recent_hits();
  from.workers_.clear();
  from.parked_.take_all([&](const typename StoreSearch<V>::Open& open, uint64_t) {
    if (!halted_) static_cast<void>(from.push_again(open));
  });
  const auto take_level = [&] {
    typename StoreSearch<V>::Open open;
    while (!halted_ && from.pop(open) && push({convert(open.key), open.number})) {
    }
  };
  take_level();
  next_level();
  from.next_level();
  if (breadth_first()) take_level();
}

// --- open states
// -----------------------------------------------------------------------------------------------------

template <unsigned W>
bool StoreSearch<W>::push(const Open& open) {
  return check(open_ ? open_->push(open) : next_level_->push(open));
}

template <unsigned W>
bool StoreSearch<W>::push_again(const Open& open) {
  return check(open_ ? open_->push(open) : level_->push(open));
}

template <unsigned W>
bool StoreSearch<W>::pop(Open& open) {
  const Result<bool> popped = open_ ? open_->pop(open) : level_->pop(open);
  return check(popped) && popped.value();
}

// A little, until some are ready: there is nothing else to do.
template <unsigned W>
void StoreSearch<W>::wait_for_parked(std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  parked_.wait();
  check_limits("waiting for answers");
  lock.lock();
}

template <unsigned W>
void StoreSearch<W>::put(std::span<const Found> found) {
  if (found.empty()) return;
  const std::lock_guard lock(mutex_);
  for (const Found& each : found) {
    const Result<uint64_t> number = plan_.trail->append(each.parent, each.index);
    if (!check(number)) break;
    if (!push({each.key, number.value()})) break;
  }
  changed_.notify_all();
}

template <unsigned W>
bool StoreSearch<W>::next_level() {
  if (!breadth_first() || next_level_->size() == 0) return false;
  level_.swap(next_level_);
  return true;
}

// The next states to be expanded, for a worker that has none. The last one that finds nothing to do sees to the
// candidates.
template <unsigned W>
bool StoreSearch<W>::take(std::vector<Open>& batch) {
  batch.clear();
  std::unique_lock lock(mutex_);
  const auto ready = [&] { return (open_ ? open_->size() : level_->size()) > 0 || parked_.some_ready(); };
  const auto last = [&] { return waiting_ == context_.workers && !resolving_; };
  for (;;) {
    while (!halted_ && parked_.full() && !parked_.some_ready()) wait_for_parked(lock);
    if (!halted_ && parked_.some_ready()) batch = parked_.take(KeyExpander<W>::kBatch);
    Open open;
    while (!halted_ && batch.size() < KeyExpander<W>::kBatch && ready() && pop(open)) batch.push_back(open);
    if (halted_) {
      changed_.notify_all();
      return false;
    }
    if (!batch.empty()) return true;
    ++waiting_;
    changed_.wait(lock, [&] { return halted_ || ready() || last(); });
    if (!halted_ && !ready()) {
      resolving_ = true;
      lock.unlock();
      const Resolved resolved = breadth_first() ? resolve_all() : resolve_most();
      lock.lock();
      resolving_ = false;
      // Others may be at work on what was found meanwhile. What is left to do is known when there was no candidate.
      if (resolved == Resolved::kStopped) {
        halted_ = true;
      } else if (resolved == Resolved::kNone && waiting_ == context_.workers && !ready()) {
        if (!parked_.empty()) {
          resolving_ = true;
          wait_for_parked(lock);
          resolving_ = false;
        } else if (next_level()) {
          context_.counts[0].deepest = ++plan_.levels;
        } else {
          halted_ = true;
        }
      }
      changed_.notify_all();
    }
    --waiting_;
  }
}

// --- candidates
// ------------------------------------------------------------------------------------------------------

template <unsigned W>
bool StoreSearch<W>::resolve_partition(Stripe& stripe, uint32_t partition, std::vector<Found>& found) {
  return check(stripe.store->check(partition, [&](const Key<W>& key, uint64_t tag) {
    found.push_back({key, tag >> kIndexBits, tag & ((uint64_t{1} << kIndexBits) - 1)});
  }));
}

template <unsigned W>
typename StoreSearch<W>::Resolved StoreSearch<W>::resolve_all() {
  Resolved resolved = Resolved::kNone;
  for (const std::unique_ptr<Stripe>& stripe : stripes_) {
    for (uint32_t partition = stripe->first_partition; partition < stripe->end_partition; ++partition) {
      const Resolved one = resolve_one(*stripe, partition);
      if (one == Resolved::kStopped) return one;
      if (one == Resolved::kSome) resolved = one;
    }
  }
  plan_.explicit_lookups += resolved == Resolved::kSome ? 1 : 0;
  return resolved;
}

template <unsigned W>
typename StoreSearch<W>::Resolved StoreSearch<W>::resolve_most() {
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
  ++plan_.explicit_lookups;
  return resolve_one(*most, its_partition);
}

template <unsigned W>
typename StoreSearch<W>::Resolved StoreSearch<W>::resolve_one(Stripe& stripe, uint32_t partition) {
  resolved_.clear();
  {
    const std::lock_guard lock(stripe.mutex);
    const uint64_t candidates = stripe.store->candidates(partition);
    if (candidates == 0) return Resolved::kNone;
    resolved_.reserve(candidates);
    if (!resolve_partition(stripe, partition, resolved_)) return Resolved::kStopped;
  }
  put(resolved_);
  check_limits(fmt::format("looking up partition {} of {}", partition + 1, plan_.options.partitions).c_str());
  return halted_ ? Resolved::kStopped : Resolved::kSome;
}

// --- the run
// ---------------------------------------------------------------------------------------------------------

template <unsigned W>
void StoreSearch<W>::check_limits(const char* phase) {
  const std::unique_lock limits(context_.limits_mutex, std::try_to_lock);
  if (!limits.owns_lock()) return;
  if (context_.control.stopped()) return halt();
  SearchControl::Usage usage;
  usage.phase = phase;
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
    usage.open_states = open_ ? open_->size() : level_->size() + next_level_->size();
    usage.memory_bytes += (open_ ? open_->memory_bytes() : level_->memory_bytes() + next_level_->memory_bytes()) +
                          plan_.trail->memory_bytes();
  }
  usage.open_states += parked_.size();
  usage.memory_bytes += context_.space->memory_bytes() + parked_.bytes();
  usage.transitions = context_.sum(&KeySearchContext::Counts::transitions);
  usage.depth = plan_.levels;
  usage.grace_bytes = context_.options.memory_limit_bytes / 10;
  context_.control.check(usage);
  if (context_.control.stopped()) halt();
}

template <unsigned W>
bool StoreSearch<W>::run() {
  std::vector<std::thread> threads;
  const auto run_worker = [&](uint32_t number) {
    try {
      workers_[number]->run();
    } catch (const std::bad_alloc&) {
      context_.control.stop_for_lack_of_memory(0);
      halt();
    }
  };
  for (uint32_t i = 1; i < context_.workers; ++i) threads.emplace_back(run_worker, i);
  run_worker(0);
  for (std::thread& thread : threads) thread.join();
  waiting_ = 0;
  return relayout_ && !context_.control.stopped();
}

template <unsigned W>
StoreFigures StoreSearch<W>::figures() {
  StoreFigures figures;
  for_each_store([&](CachedStore<W>& store) { figures += store.figures(); });
  uint64_t recent = plan_.recent_hits;
  for (const std::unique_ptr<Worker>& worker : workers_) recent += worker->recent_hits();
  figures.bloom_queries += recent;
  figures.lossy_queries += recent;
  figures.lossy_resolved += recent;
  figures.explicit_lookups = plan_.explicit_lookups;
  return figures;
}

template <unsigned W>
StoreTotals run_store_search(KeySearchContext& context, StorePlan& plan, std::unique_ptr<StoreSearch<W>> search) {
  for (;;) {
    const bool relayout = search->run() && search->prepare_relayout();
    const auto totals = [&](bool too_wide) {
      return StoreTotals{search->visited(), search->figures(), search->candidates() > 0, too_wide};
    };
    if (!relayout) return totals(false);
    const Layout old_layout = context.space->layout();
    if (!context.space->relayout(search->visited())) return totals(true);
    ++plan.options.layout;
    plan.fit(context.space->layout().words(), context.space->layout().bits());
    const auto go_on = [&]<unsigned V>() {
      auto next = std::make_unique<StoreSearch<V>>(context, plan);
      next->template take_over<W>(*search, old_layout);
      search.reset();
      return next;
    };
    if (context.space->layout().words() == W) {
      search = go_on.template operator()<W>();
      continue;
    }
    return with_more_words<W>(context.space->layout().words(), [&]<unsigned V>() {
      return run_store_search<V>(context, plan, go_on.template operator()<V>());
    });
  }
}

template class StoreSearch<1>;
template class StoreSearch<2>;
template class StoreSearch<4>;
template class StoreSearch<8>;
template class StoreSearch<16>;
template StoreTotals run_store_search<1>(KeySearchContext&, StorePlan&, std::unique_ptr<StoreSearch<1>>);
template StoreTotals run_store_search<2>(KeySearchContext&, StorePlan&, std::unique_ptr<StoreSearch<2>>);
template StoreTotals run_store_search<4>(KeySearchContext&, StorePlan&, std::unique_ptr<StoreSearch<4>>);
template StoreTotals run_store_search<8>(KeySearchContext&, StorePlan&, std::unique_ptr<StoreSearch<8>>);
template StoreTotals run_store_search<16>(KeySearchContext&, StorePlan&, std::unique_ptr<StoreSearch<16>>);

}  // namespace cmc
