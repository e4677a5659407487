#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <new>

#include "checker/search/engine/context.h"
#include "checker/search/engine/gate.h"
#include "checker/search/engine/threads.h"

namespace cmc {

// How an engine's run ends.
enum class End : uint8_t {
  kExplored,    // nothing is left to explore
  kStopped,     // the search was stopped
  kRelayout,    // keys are too narrow, or much wider than they need to be
  kToStore,     // memory is scarce: the search starts again with the disk store
  kReduce,      // the search starts again with partial-order reduction, or without
  kReorder,     // the search starts again with the next ClaimOrder
  kLookNear,    // SearchContext::look_near is to be called, and then the search is to go on
  kCheckpoint,  // the search is to be saved, and then to go on
};

// The workers of an engine: their threads, their gate, and the signal that makes them end.
class Crew {
 public:
  explicit Crew(SearchContext& context) : context_(context), gate_(context.workers) {}

  [[nodiscard]] Gate& gate() { return gate_; }

  // For another run of the same engine, which was halted.
  void begin() {
    if (!context_.control.stopped()) halted_ = false;
  }
  // Workers return at their next boundary. Of several reasons the first counts, but each counts more than those
  // behind which the search goes on, which will be asked for again: for those, a worker would finish a long step
  // first.
  void halt(End end) {
    gate_.change([&] {
      if (halted() && (goes_on_behind(end) || abandoned())) return;
      end_.store(end, std::memory_order_relaxed);
      halted_.store(true, std::memory_order_relaxed);
    });
  }
  [[nodiscard]] bool halted() const { return halted_.load(std::memory_order_relaxed); }
  // The results of this layout's run will not be used, or the search is over, so even a long step need not be
  // finished. (Otherwise a step is finished first, or it would be counted twice.)
  [[nodiscard]] bool abandoned() const { return halted() && !goes_on_behind(end_.load(std::memory_order_relaxed)); }
  // How the run ended. REQUIRES: it is over.
  [[nodiscard]] End end() const {
    if (context_.control.stopped()) return End::kStopped;
    return halted() ? end_.load() : End::kExplored;
  }

  // Looks at the limits, unless another worker is doing so: any worker may, since a particular one can be idle for
  // long. `usage_now` makes a SearchControl::Usage. `within_step`: of a long one.
  template <class UsageNow>
  void check_limits(UsageNow&& usage_now, bool within_step = false) {
    const std::unique_lock lock(context_.limits_mutex, std::try_to_lock);
    if (!lock.owns_lock()) return;
    const SearchControl::Usage usage = usage_now();
    context_.control.check(usage);
    if (context_.control.turn_is_over()) wait_for_turn();
    obey();
    // A long step could take more memory than there is before the search can be saved.
    if (context_.control.wants_store())
      halt(context_.hands_over(usage.states) && !within_step ? End::kCheckpoint : End::kToStore);
    // Ranks stand still first, all of them.
    if (context_.control.wants_checkpoint() && context_.options.ranks == nullptr) halt(End::kCheckpoint);
  }
  // Halts the workers if the search has been stopped.
  void obey() {
    if (context_.control.stopped() && !abandoned()) halt(End::kStopped);
  }

  // Runs work(0) to work(threads - 1) at the same time, each in a thread. An exception of any of them is thrown here.
  template <class Work>
  void run(uint32_t threads, Work&& work) {
    CHECK(threads > 0 && threads <= context_.workers);
    gate_.reset(threads);
    run_threads(threads, [&](uint32_t number) {
      try {
        work(number);
      } catch (...) {
        gate_.leave();
        throw;
      }
      gate_.leave();
    });
  }
  // The same, for workers that explore: if memory runs out, the search stops. `states` returns the number of states
  // found.
  template <class Explore, class States>
  void explore(uint32_t threads, Explore&& explore, States&& states) {
    run(threads, [&](uint32_t number) {
      try {
        explore(number);
      } catch (const std::bad_alloc&) {
        context_.control.stop_for_lack_of_memory(states());
        halt(End::kStopped);
      }
    });
  }

 private:
  [[nodiscard]] static bool goes_on_behind(End end) {
    return end == End::kRelayout || end == End::kLookNear || end == End::kCheckpoint;
  }
  // Unless another worker has closed the gate for something else; then the next look at the limits will do.
  void wait_for_turn() {
    const auto wait = [&] {
      context_.control.wait_for_turn();
      return false;
    };
    gate_.pause(Gate::Where::kAnywhere, wait, [] {});
  }

  SearchContext& context_;
  Gate gate_;
  std::atomic<bool> halted_{false};
  std::atomic<End> end_{End::kStopped};  // once it is halted
};

}  // namespace cmc
