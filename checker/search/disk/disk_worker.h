#pragma once

#include <array>
#include <mutex>
#include <utility>
#include <vector>

#include "checker/search/disk/disk_cache.h"
#include "checker/search/disk/trail_expander.h"
#include "checker/search/engine/stage.h"
#include "checker/search/engine/successors.h"

namespace cmc {

// A worker of the engine with the disk store: expands a batch of open states and offers the successors to the stores.
template <unsigned W>
class DiskCache<W>::Worker final : public TrailExpander<W> {
 public:
  using typename BatchExpander<W>::State;
  Worker(DiskCache& search, uint32_t number)
      : TrailExpander<W>(search.context_, search.memo_, search.carriers_, number, search.plan_, search.mutex_),
        search_(search) {}

  void run() {
    while (search_.take(batch_)) {
      step();
      if (++batches_ % kBatchesPerCheck == 0) search_.check_limits("searching");
    }
  }
  [[nodiscard]] uint64_t recent_hits() const { return recent_hits_; }

 private:
  using BatchExpander<W>::kBatch;
  using BatchExpander<W>::flags_;
  using BatchExpander<W>::counts_;
  using TrailExpander<W>::fresh_;

  static constexpr uint64_t kBatchesPerCheck = 32;
  static constexpr size_t kAhead = 12;   // successors for which memory is asked before they are offered
  static constexpr size_t kPart = 4096;  // successors

  void step() {
    news_.fill(0);
    candidates_.fill(0);
    const auto expanded = this->expand_open(std::span<const Open>(batch_),
                                            [&](size_t number) { successors_[number] = fresh_.added(); });
    offer_fresh();
    const bool stopped = this->context_.control.stopped();
    for (size_t i = 0; i < expanded.count && !stopped; ++i) note_expanded(i);
    this->masks_.end(expanded.count);
    this->make_room_in_memo();
    for (size_t i = 0; i < expanded.count && !this->context_.control.stopped(); ++i) {
      if (this->context_.checker != nullptr) this->check_steps(batch_[i].key);
      if (!flags_[i].special) continue;
      if (flags_[i].pending != 0) {
        search_.parked_.park(flags_[i].pending, batch_[i], 2 * sizeof(Open));
      } else {
        this->report_state(batch_[i].key, flags_[i], batch_[i].depth,
                           [&] { return this->path_to(batch_[i].key, batch_[i].number); });
        static_cast<void>(search_.check(this->lost_path()));
      }
    }
    if (expanded.count < batch_.size()) search_.put_again(std::span(batch_).subspan(expanded.count));
    if (expanded.cut == BatchExpander<W>::Cut::kTooNarrow) search_.crew_.halt(End::kRelayout);
    search_.crew_.obey();
    search_.crew_.gate().check(Gate::Where::kBoundary);
  }
  void on_part_of_batch() override {
    if (fresh_.size() < kPart) return;
    offer_fresh();
    fresh_.clear();
  }
  bool should_stop_batch() override { return search_.stops_batch(); }

  // Stripe by stripe, so that each lock is taken once per batch; one lock per successor made two threads half as fast
  // as one. Then the new ones become open states.
  void offer_fresh() {
    recent_hits_ += fresh_.left_out();
    asleep_ = this->find_sleepers(std::span<const Open>(batch_));
    hashed_.resize(std::max(hashed_.size(), fresh_.size()));
    owner_.resize(hashed_.size());
    for (size_t i = 0; i < fresh_.size(); ++i) {
      hashed_[i] = search_.hasher_(fresh_[i], scratch_);
      owner_[i] = &search_.stripe_of(hashed_[i]);
    }
    for (size_t i = 0; i < search_.stripes_.size(); ++i) {
      offer_to(*search_.stripes_[(i + this->number_) % search_.stripes_.size()]);
    }
    search_.put(found_);
    found_.clear();
  }
  void offer_to(Stripe& stripe) {
    std::unique_lock lock(stripe.mutex);
    for (size_t i = 0; i < fresh_.size(); ++i) {
      if (const size_t ahead = i + kAhead; ahead < fresh_.size() && owner_[ahead] == &stripe) {
        stripe.store->prefetch(hashed_[ahead]);
      }
      if (owner_[i] == &stripe && !offer(stripe, i, lock)) return;
    }
  }
  // False: the store has failed.
  bool offer(Stripe& stripe, size_t i, std::unique_lock<std::mutex>& lock) {
    using Offer = typename CachedStore<W>::Offer;
    const Open& parent = batch_[fresh_.parent(i)];
    DCHECK(parent.depth < UINT32_MAX);
    const Origin origin{parent.number, fresh_.number(i), parent.depth + 1, asleep_[i]};
    const Offer answer = stripe.store->offer(hashed_[i], origin);
    if (answer == Offer::kFailed) {
      static_cast<void>(search_.check(stripe.store->status()));
      return false;
    }
    if (answer == Offer::kNew) {
      found_.push_back({fresh_[i], origin});
      ++news_[fresh_.parent(i)];
    }
    candidates_[fresh_.parent(i)] += answer == Offer::kCandidate ? 1 : 0;
    // A state can make room for itself by many look-ups, and the disk may be slow.
    while (!this->context_.control.stopped()) {
      const auto full = stripe.store->needs_check();
      if (!full) break;
      found_.reserve(found_.size() + stripe.store->candidates(*full));
      if (!search_.resolve_partition(stripe, *full, found_)) return false;
      lock.unlock();
      search_.check_limits("searching");
      lock.lock();
    }
    return true;
  }
  void note_expanded(size_t number) {
    if (flags_[number].pending != 0) [[unlikely]]
      return;
    const Open& open = batch_[number];
    counts_.note_depth(open.depth);
    if (search_.plan_.order == UsedOrder::kDepthFirst && news_[number] == 0 && candidates_[number] > 0) {
      ++counts_.dfs_problems;
      counts_.dfs_problems_real += successors_[number] > 1 ? 1 : 0;
    }
    if (!wants_outgoing_) return;
    const HashedKey<W> hashed = search_.hasher_(open.key, scratch_);
    Stripe& stripe = search_.stripe_of(hashed);
    const std::lock_guard lock(stripe.mutex);
    stripe.store->expanded(hashed, successors_[number]);
  }

  DiskCache& search_;
  const bool wants_outgoing_ = search_.stripes_.front()->store->wants_outgoing();
  std::vector<Open> batch_;
  // The first stage of the caches leaves out what this worker has met lately; the figures count it as a part of the
  // lossy cache, whose queries it spares.
  uint64_t recent_hits_ = 0;
  std::span<const SleepMask> asleep_;  // of fresh_
  std::vector<HashedKey<W>> hashed_;   // likewise
  std::vector<Stripe*> owner_;         // likewise
  // By state of the batch: successors, those that were known to be new, those that have become candidates.
  std::array<uint64_t, kBatch> successors_{};
  std::array<uint64_t, kBatch> news_{};
  std::array<uint64_t, kBatch> candidates_{};
  std::vector<Found> found_;
  Bytes scratch_;
  uint64_t batches_ = 0;
};

}  // namespace cmc
