#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "checker/generator/generator.h"
#include "checker/report/explanation.h"
#include "checker/trace/loop_atoms.h"
#include "checker/trace/operands.h"
#include "checker/trace/recorder.h"
#include "checker/trace/write_log.h"
#include "ir/model.h"

namespace cmc {

// Finds out why a run ends as it does, while it is followed. Everything is of the model's own text: nothing here
// decides a verdict.
class Explainer {
 public:
  // `statements` follows the run, too; it is asked which processes could move in a loop.
  Explainer(const Model& model, SuccessorGenerator& statements)
      : model_(model), statements_(statements), log_(model), atoms_(model) {}

  void step(const RunStep& run);
  // The loop begins in this state.
  void begin_loop(ByteView state);

  // The last step raised an error: the values that it used.
  [[nodiscard]] Explanation failure() const { return failure_; }
  // A move of a never claim, for claim_end().
  void claim_step(const RunStep& run);
  // The claim reached its end in this state: the atoms of its formula, or the values that its last condition used.
  [[nodiscard]] Explanation claim_end(ByteView state) const;
  // Nothing can move: what each process waits for that is not at a valid end; `all`: also those that are.
  [[nodiscard]] Explanation deadlock(ByteView state, bool all = false);
  // The run goes round for ever.
  [[nodiscard]] Explanation loop(ByteView state);

 private:
  void explain_failure(const RunStep& run);
  void note_branch(const RunStep& run);
  // Of a process that had a choice: "P[0] came there by (n==2) in step 5; n is 2 since step 4 (P[1])". Empty: it had
  // none.
  [[nodiscard]] std::string way_there(ByteView state, uint8_t pid) const;
  // Of all expressions that the statement evaluates: "x is 1 since step 7 (user[0])".
  [[nodiscard]] std::vector<std::string> operands_of(ByteView state, uint8_t pid, const Statement& statement) const;
  // Of an assertion in a d_step, whose values in between are not known: those before it and behind it.
  [[nodiscard]] std::vector<std::string> operands_in_block(const RunStep& run, const Statement& statement) const;
  void watch_loop(const RunStep& run);
  [[nodiscard]] ExplainedProcess waiting(ByteView state, uint8_t pid);

  const Model& model_;
  SuccessorGenerator& statements_;
  WriteLog log_;
  Explanation failure_;
  Explanation claim_;  // of its last step that looked at something
  struct Branch {
    uint64_t number = 0;  // of the step
    StatementId statement = 0;
  };
  std::map<uint8_t, Branch> branches_;  // by process: which of several it took last
  // Of the loop:
  bool in_loop_ = false;
  uint64_t first_ = 0;  // numbers of its steps
  uint64_t last_ = 0;
  std::map<uint8_t, uint64_t> moves_;       // by process
  std::map<uint8_t, uint64_t> could_move_;  // of those that have not moved: before which step they could
  std::set<uint8_t> blocked_;               // those that could not before some step
  std::set<uint8_t> there_;                 // the processes that are not at their ends
  LoopAtoms atoms_;
};

// "full since step 15 (user[0])", "empty from the start": what is so since the bytes were changed last.
[[nodiscard]] std::string since(const WriteLog& log, const ByteRange& bytes);
// "x is 1 since step 7 (user[0])"
[[nodiscard]] std::string operand_text(const WriteLog& log, const Operand& operand);

// Where the process is; line 0: unknown. Of a single statement that is its own place: that of the location can be the
// block around it. REQUIRES: the process exists.
[[nodiscard]] SourcePlace place_of_process(const Model& model, ByteView state, uint8_t pid);

// "NAME:12", without folders.
[[nodiscard]] std::string short_place(const Model& model, const SourcePlace& place);

// What each edge of the process's location waits for: "room in q, full since step 15". REQUIRES: the process exists.
[[nodiscard]] std::vector<std::string> what_it_waits_for(const Model& model, ByteView state, uint8_t pid,
                                                         const WriteLog& log);

}  // namespace cmc
