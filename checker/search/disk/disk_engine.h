#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "checker/keys/step_lookup.h"
#include "checker/search/disk/store_plan.h"
#include "checker/search/engine/carrying.h"
#include "checker/search/engine/checkpoint.h"
#include "checker/search/engine/crew.h"
#include "checker/search/engine/engines.h"
#include "storage/pages/run.h"
#include "storage/pages/state_hash.h"

namespace cmc {

// The state vectors that belong to keys of the current layout.
class KeySpaceVectors final : public StateVectors {
 public:
  explicit KeySpaceVectors(const KeySpace& space) : space_(space) {}
  void unpack(const uint64_t* words, Bytes& state) const override { space_.unpack(words, state); }
  [[nodiscard]] uint64_t state_bytes(const uint64_t* words) const override { return space_.state_bytes(words); }

 private:
  const KeySpace& space_;
};

// What the engines beyond memory have in common, for one layout.
template <unsigned W>
class DiskEngine : public AnyEngine<DiskTotals> {
 public:
  ~DiskEngine() override { context_.note(memo_); }

 protected:
  explicit DiskEngine(SearchContext& context)
      : context_(context),
        plan_(*context.store),
        crew_(context),
        vectors_(*context.space),
        word_bits_(context.space->layout().bits_of_words<W>()),
        hasher_(plan_.options, word_bits_, vectors_),
        memo_(context.space->layout(), context.memo_bytes, context.workers, context.keeps_notes(), carries()),
        carriers_(context, memo_) {}

  // The first error of the store ends the search.
  template <class T>
  bool check(const Result<T>& result) {
    if (result.ok()) return true;
    context_.control.stop(ReasonKind::kStore, result.error());
    crew_.halt(End::kStopped);
    return false;
  }
  // What they know is kept for the next layout's.
  template <class Worker>
  void end(std::vector<std::unique_ptr<Worker>>& workers) {
    for (const std::unique_ptr<Worker>& worker : workers) {
      habits_.push_back(worker->habits());
      plan_.recent_hits += worker->recent_hits();
    }
    workers.clear();
  }
  void check_limits(const char* phase) {
    crew_.check_limits([&] { return usage(phase); });
    crew_.obey();
  }
  [[nodiscard]] virtual SearchControl::Usage usage(const char* phase) = 0;
  // What does not depend on the store.
  [[nodiscard]] SearchControl::Usage usage_of(const char* phase, uint64_t states) const {
    SearchControl::Usage usage;
    usage.phase = phase;
    usage.states = states;
    usage.transitions = context_.sum(&SearchContext::Counts::transitions);
    usage.grace_bytes = context_.grace_bytes();
    usage.store_folder = &plan_.directory->path();
    return usage;
  }
  // Those of a partition that `store` has on pages.
  template <class Store>
  void save_runs(StatesFiles<W>& states, Store& store, uint32_t partition) {
    for (const Run<W>& run : store.runs(partition))
      states.add_run(lasting_files_, run, [&](auto&& visit) { return store.visit_run(run, visit); });
  }
  // To be asked for each state that goes over to this layout: there may be as many as the disk holds. An error: the
  // search was stopped, and its figures are those of `before`, the old layout's.
  [[nodiscard]] Status note_converted(const DiskTotals& before) {
    constexpr uint64_t kStatesPerQuestion = 256;
    if (++converted_ % kStatesPerQuestion != 0) return Success{};
    context_.control.check(usage_of("converting states", before.states));
    if (!context_.control.stopped()) return Success{};
    final_totals_ = before;
    return Error{"the search was stopped"};
  }

  SearchContext& context_;
  StorePlan& plan_;
  Crew crew_;
  const KeySpaceVectors vectors_;
  const std::array<unsigned, W> word_bits_;
  const StateHasher<W> hasher_;
  StepMemo<W> memo_;
  Carriers<W> carriers_;
  std::vector<StepHabits> habits_;          // of workers that were ended
  LastingFiles lasting_files_;              // of checkpoints
  std::optional<DiskTotals> final_totals_;  // once the store is not the search's any more

 private:
  // Where a state may be left out, those who sleep would leave out more than is expected.
  [[nodiscard]] bool carries() const { return context_.carries_steps() && plan_.options.codec != PageCodec::kSha1; }

  uint64_t converted_ = 0;  // states
};

}  // namespace cmc
