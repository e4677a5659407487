#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "checker/result/result.h"
#include "checker/search/disk/open_state.h"
#include "storage/files/file_system.h"
#include "storage/pages/spill.h"
#include "storage/sets/key.h"

namespace cmc {

// The open states of a search with the disk store: found to be new, but not yet expanded. What does not fit in memory
// is in a file. Depth first it is a stack, of which the lower part is in the file; oldest first a queue; breadth
// first two queues, the level that is being expanded and the next one. Not thread-safe, but for size(); after an
// error it is not usable any more.
template <unsigned W>
class Frontier {
 public:
  using Open = OpenState<W>;

  // `name`: of the files; memory_bytes: in RAM.
  Frontier(UsedOrder order, FileSystem& files, const std::string& name, uint64_t memory_bytes) {
    if (order == UsedOrder::kDepthFirst) stack_ = std::make_unique<Stack>(files, name, memory_bytes);
    if (order == UsedOrder::kOldestFirst) queue_ = std::make_unique<Queue>(files, name, memory_bytes);
    if (order == UsedOrder::kBreadthFirst) {
      queue_ = std::make_unique<Queue>(files, name + ".a", memory_bytes / 2);
      next_level_ = std::make_unique<Queue>(files, name + ".b", memory_bytes / 2);
    }
  }

  // A state that has just been found.
  [[nodiscard]] Status push(const Open& open) {
    DCHECK(stack_ || queue_);
    const Status status = stack_ ? stack_->push(open) : next_level_ ? next_level_->push(open) : queue_->push(open);
    return count(status);
  }
  // A state that was popped and has to be expanded after all.
  [[nodiscard]] Status push_again(const Open& open) {
    return count(stack_ ? stack_->push(open) : queue_->push(open));
  }
  // Appends up to `most` states to `batch`. Depth first they have the same depth: what is expanded together is on one
  // level, or else the successors of older states would come to lie above those of younger ones.
  [[nodiscard]] Status pop(size_t most, std::vector<Open>& batch) {
    Open open;
    while (batch.size() < most) {
      const Result<bool> popped = stack_ ? stack_->pop(open) : queue_->pop(open);
      if (!popped.ok()) return Error{popped.error()};
      if (!popped.value()) break;
      if (stack_ && !batch.empty() && open.depth != batch.back().depth) {
        if (Status status = stack_->push(open); !status.ok()) return status;
        break;
      }
      batch.push_back(open);
    }
    return count(Success{});
  }
  // Breadth first, when a level is at its end: goes over to the next one. False: there is none.
  bool next_level() {
    if (!next_level_ || next_level_->size() == 0) return false;
    queue_.swap(next_level_);
    size_ = current_size();
    return true;
  }

  // visit(open), which returns a Status, for each in the order in which they were pushed. push_again() and push() put
  // them back: those that can be popped now, and those of the next level.
  template <class Visit>
  [[nodiscard]] Status visit(Visit&& visit) {
    return stack_ ? stack_->for_each(visit) : queue_->for_each(visit);
  }
  template <class Visit>
  [[nodiscard]] Status visit_next(Visit&& visit) {
    return next_level_ ? next_level_->for_each(visit) : Success{};
  }

  // Takes over the open states of another layout in their order; convert(Key<V>) gives a key of this one.
  template <unsigned V, class Convert>
  [[nodiscard]] Status take_over(Frontier<V>& from, Convert&& convert) {
    const auto converted = [&](const typename Frontier<V>::Open& open) {
      return Open{convert(open.key), open.number, open.depth, open.asleep};
    };
    if (stack_) return from.stack_->for_each([&](const auto& open) { return push(converted(open)); });
    if (Status status = drain(*from.queue_, *queue_, converted); !status.ok()) return status;
    if (!next_level_) return Success{};
    return drain(*from.next_level_, *next_level_, converted);
  }

  // States that can be popped now. Any thread may ask.
  [[nodiscard]] uint64_t size() const { return size_.load(std::memory_order_relaxed); }
  // With those of the next level.
  [[nodiscard]] uint64_t all() const { return current_size() + (next_level_ ? next_level_->size() : 0); }
  [[nodiscard]] uint64_t memory_bytes() const {
    return (stack_ ? stack_->memory_bytes() : queue_->memory_bytes()) +
           (next_level_ ? next_level_->memory_bytes() : 0);
  }

 private:
  template <unsigned>
  friend class Frontier;

  using Stack = SpillStack<Open>;
  using Queue = SpillQueue<Open>;

  [[nodiscard]] uint64_t current_size() const { return stack_ ? stack_->size() : queue_->size(); }
  [[nodiscard]] Status count(const Status& status) {
    size_ = current_size();
    return status;
  }
  template <class From, class Convert>
  [[nodiscard]] Status drain(From& from, Queue& to, Convert&& converted) {
    typename From::Entry open;
    for (;;) {
      const Result<bool> popped = from.pop(open);
      if (!popped.ok()) return Error{popped.error()};
      if (!popped.value()) return count(Success{});
      if (Status status = to.push(converted(open)); !status.ok()) return status;
    }
  }

  std::unique_ptr<Stack> stack_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Queue> next_level_;
  std::atomic<uint64_t> size_{0};
};

}  // namespace cmc
