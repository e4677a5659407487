#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "checker/check/model_file.h"
#include "checker/generator/generator.h"
#include "checker/plain/simulate.h"
#include "checker/session/expression.h"
#include "checker/trace/explain.h"
#include "checker/trace/recorder.h"
#include "checker/trace/trace.h"

namespace cmc::session {

using Random = std::mt19937_64;

// A model and a run of it that is walked in both directions. Position 0 is the initial state; a position is a number
// of choices. What was walked or loaded stays behind the position until another choice is made.
//
// Memory: 4 bytes for each choice, and a state every 1,000 of them. A step back takes up to 1,000 forward, which were
// 3 ms with two processes and a channel. One thread.
class Session {
 public:
  // `statements` hands out single basic steps of the model, without a claim. Both outlive this object, and so does
  // `decider`, who decides solver guards and may be null.
  Session(const LoadedModel& loaded, SuccessorGenerator& statements, GuardDecider* decider);

  [[nodiscard]] const Model& model() const { return loaded_.model; }
  [[nodiscard]] ExpressionReader& expressions() { return expressions_; }
  [[nodiscard]] SuccessorGenerator& statements() { return statements_; }
  [[nodiscard]] GuardDecider* decider() { return decider_; }

  // --- where the run is
  [[nodiscard]] uint64_t position() const { return at_->position; }
  [[nodiscard]] uint64_t length() const { return run_.size(); }
  // Basic steps: a d_step inside a rendezvous and the rendezvous are one choice, but two steps.
  [[nodiscard]] uint64_t steps() const { return at_->steps; }
  // Empty: an initialiser fails, there is none.
  [[nodiscard]] ByteView state() const { return at_->state; }
  // From this position on a loaded run is repeated for ever.
  [[nodiscard]] std::optional<uint64_t> loop_start() const { return loop_start_; }

  // What can be done here; valid until the run moves.
  [[nodiscard]] std::span<const Choice> choices() const { return choices_; }
  [[nodiscard]] std::optional<size_t> find_choice(uint8_t pid) const;  // the first one of the process
  // The steps of a choice with all that they would change.
  [[nodiscard]] std::vector<TraceStep> look_at(size_t choice) const;
  // The processes that cannot move, and why.
  [[nodiscard]] std::vector<ExplainedProcess> waiting();

  enum class End : uint8_t {
    kNone,
    kEnded,       // all processes are at valid ends
    kInvalidEnd,  // blocked elsewhere
    kError,       // of the last step, or of the state: errors()
  };
  // A step with an error may have been completed; then there are choices nevertheless.
  [[nodiscard]] End end() const;
  [[nodiscard]] const std::vector<RuntimeError>& errors() const {
    return state_errors_.empty() ? at_->errors : state_errors_;
  }
  // "invalid end state: no process can move", "error: assertion violated: ..."; empty: the run is not at an end.
  [[nodiscard]] std::string end_text() const;
  // Why it ends so.
  [[nodiscard]] Explanation explain();

  // An expression as the process sees it in this state; kNoProcess: from outside.
  [[nodiscard]] Result<Expression> read(const std::string& text, uint8_t pid);

  // --- walking
  // REQUIRES: there is such a choice.
  void choose(size_t choice);
  // Puts it behind this position, instead of another one.
  void plan(size_t choice);
  // What forward() is going to choose; null: nothing is behind this position.
  [[nodiscard]] const Choice* next() const;
  // Puts a random choice behind this position if there is nothing. False: nothing can be chosen.
  bool plan(Random& random);
  // REQUIRES: next().
  void forward();
  // REQUIRES: position <= length().
  void go_to(uint64_t position);
  // The latest position before this one that meets the condition, which is asked at positions that can go forward();
  // then the run is there, else at the start. It may look at the session and evaluate expressions.
  bool back_until(const std::function<bool()>& condition);

  // A run instead of this one, at its start: a trail of CMC, without moves of its claim, or of SPIN. Error: it is
  // none, or none of this model; then nothing is behind the start.
  [[nodiscard]] Status load(const std::string& trail);

  // --- what was walked
  // The steps of the last choice. REQUIRES: position() > 0.
  [[nodiscard]] std::vector<TraceStep> last_steps();
  [[nodiscard]] std::span<const Step> last_choice() const { return last_; }
  [[nodiscard]] ByteView state_before() const { return before_; }
  // All up to here, for trails.
  [[nodiscard]] std::vector<Step> path();
  // At least the last so many choices up to here, for files.
  [[nodiscard]] Trace trace(uint64_t most_choices);

 private:
  struct Position {
    uint64_t position = 0;
    uint64_t steps = 0;
    Bytes state;
    Explainer explainer;
    std::vector<RuntimeError> errors;  // of the last choice
    bool is_cut = false;               // an error cut the last step
  };
  static constexpr uint64_t kSpacing = 1000;

  void begin();
  void advance(size_t choice);
  void look_around();
  // The last kept position from which `position` can be walked to with one choice at least.
  void restore(uint64_t position);
  [[nodiscard]] std::vector<TraceStep> record(TraceRecorder& recorder, ByteView before, const Choice& choice,
                                              uint64_t steps) const;
  [[nodiscard]] Status load_path(std::span<const Step> path, size_t loop_start);

  const LoadedModel& loaded_;
  SuccessorGenerator& statements_;
  GuardDecider* decider_;
  ExpressionReader expressions_;
  std::vector<uint32_t> run_;  // by position: which choice
  std::optional<uint64_t> loop_start_;
  std::optional<Position> at_;
  std::deque<Position> kept_;  // one for each kSpacing
  SuccessorBatch batch_;
  std::vector<Choice> choices_;  // in batch_
  std::vector<RuntimeError> state_errors_;
  Bytes before_;  // the last choice
  std::vector<Step> last_;
  TraceRecorder recorder_;  // behind so many choices of this run
  std::optional<uint64_t> recorded_;
};

}  // namespace cmc::session
