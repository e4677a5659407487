#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/check.h"
#include "checker/generator/guard_decider.h"

namespace cmc {

// States that cannot be expanded yet, because a solver guard is not decided (GuardAnswer::kPending): a third kind
// beside open states and candidates. Nothing was counted of them. When their question has its answer they are ready
// to be expanded again, which may raise the next question. A search is at its end when nothing is open and nothing is
// parked.
//
// `Item` is what its order needs to know of a state. Thread-safe.
template <class Item>
class ParkedStates {
 public:
  // Null: no guard is ever pending.
  explicit ParkedStates(PendingGuards* guards) : guards_(guards) {}

  void park(uint32_t question, Item item, uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    ++size_;
    bytes_ += bytes;
    // The answer may have come since the state was expanded.
    const bool ready = was_answered(question);
    std::vector<Waiting>& place = ready ? ready_ : waiting_[question];
    place.push_back({std::move(item), bytes});
    if (ready) some_ready_ = true;
  }
  // Up to `most` ready states, each with fit(the first one, it); empty: none is ready.
  template <class Fit>
  std::vector<Item> take(size_t most, Fit&& fit) {
    const std::lock_guard lock(mutex_);
    collect();
    std::vector<Item> items;
    while (!ready_.empty() && items.size() < most && (items.empty() || fit(items.front(), ready_.back().item))) {
      items.push_back(std::move(ready_.back().item));
      DCHECK(size_ > 0 && bytes_ >= ready_.back().bytes);
      bytes_ -= ready_.back().bytes;
      --size_;
      ready_.pop_back();
    }
    some_ready_ = !ready_.empty();
    return items;
  }
  std::vector<Item> take(size_t most) {
    return take(most, [](const Item&, const Item&) { return true; });
  }
  // Removes all states, ready or not, so that the caller can expand them anew. REQUIRES: no other thread uses this.
  template <class Visit>
  void take_all(Visit&& visit) {
    for (auto& [question, states] : waiting_) {
      for (Waiting& each : states) visit(std::move(each.item), each.bytes);
    }
    for (Waiting& each : ready_) visit(std::move(each.item), each.bytes);
    waiting_.clear();
    ready_.clear();
    size_ = bytes_ = 0;
    some_ready_ = false;
  }
  // REQUIRES: no other thread uses this.
  template <class Visit>
  void visit(Visit&& visit) const {
    for (const auto& [question, states] : waiting_) {
      for (const Waiting& each : states) visit(each.item);
    }
    for (const Waiting& each : ready_) visit(each.item);
  }
  // A state whose question, if it has one, is asked again.
  void add_ready(Item item, uint64_t bytes) {
    ++size_;
    bytes_ += bytes;
    ready_.push_back({std::move(item), bytes});
    some_ready_ = true;
  }
  // Takes another layout's parked states, converted. All become ready; those that still wait are parked again.
  template <class OtherItem, class Convert>
  void take_over(ParkedStates<OtherItem>& from, Convert&& convert) {
    from.take_all([&](OtherItem item, uint64_t bytes) { add_ready(convert(item), bytes); });
  }

  // Cheap.
  [[nodiscard]] bool some_ready() const {
    if (size() == 0) [[likely]]
      return false;
    return some_ready_.load(std::memory_order_relaxed) || guards_->some_answered();
  }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] uint64_t size() const { return size_.load(std::memory_order_relaxed); }
  [[nodiscard]] uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  // Take some before more are parked.
  [[nodiscard]] bool full() const { return bytes() >= kMostBytes; }
  // Waits for a short time, or until some are ready. REQUIRES: not empty.
  void wait() {
    if (!some_ready()) guards_->wait(kWaitSeconds);
  }

 private:
  struct Waiting {
    Item item;
    uint64_t bytes;
  };

  void collect() {
    if (guards_ == nullptr || !guards_->some_answered()) return;
    for (const uint32_t question : guards_->answered()) {
      if (answered_.size() <= question) answered_.resize(std::max<size_t>(question + 1, 2 * answered_.size()));
      answered_[question] = true;
      const auto place = waiting_.find(question);
      if (place == waiting_.end()) continue;
      for (Waiting& each : place->second) ready_.push_back(std::move(each));
      waiting_.erase(place);
    }
    some_ready_ = !ready_.empty();
  }
  [[nodiscard]] bool was_answered(uint32_t question) const {
    return question < answered_.size() && answered_[question];
  }

  static constexpr uint64_t kMostBytes = uint64_t{32} << 20;
  static constexpr double kWaitSeconds = 0.02;

  PendingGuards* const guards_;
  std::mutex mutex_;                                            // of all below, if not atomic
  std::unordered_map<uint32_t, std::vector<Waiting>> waiting_;  // by question
  std::vector<Waiting> ready_;
  std::vector<bool> answered_;  // by question
  std::atomic<bool> some_ready_{false};
  std::atomic<uint64_t> size_{0};
  std::atomic<uint64_t> bytes_{0};
};

}  // namespace cmc
