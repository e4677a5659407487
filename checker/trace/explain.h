#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "checker/generator/generator.h"
#include "checker/report/explanation.h"
#include "checker/trace/operands.h"
#include "checker/trace/recorder.h"
#include "ir/model.h"

namespace cmc {

// Which step changed each byte of the state vector last. Frames do not move while their processes exist, so an offset
// keeps its meaning.
class WriteLog {
 public:
  struct Write {
    uint64_t number = 0;  // of the step; 0: none changed it
    std::string process;  // "user[0]"
  };
  explicit WriteLog(const Model& model) : model_(model) {}

  void step(const RunStep& run);
  // Of all these bytes.
  [[nodiscard]] Write last(const ByteRange& bytes) const;
  // The last step that moved the process.
  [[nodiscard]] uint64_t arrival(uint8_t pid) const;

 private:
  struct Entry {
    uint64_t number = 0;
    uint32_t writer = 0;  // index into writers_
  };
  uint32_t writer(ByteView state, uint8_t pid);

  const Model& model_;
  std::vector<Entry> entries_;  // by byte
  std::vector<std::string> writers_;
  std::map<std::string, uint32_t> writer_numbers_;
  std::map<uint8_t, uint64_t> arrivals_;
};

// Finds out why a run ends as it does, while it is followed. Everything is of the model's own text: nothing here
// decides a verdict.
class Explainer {
 public:
  // `statements` follows the run, too; it is asked which processes could move in a loop.
  Explainer(const Model& model, SuccessorGenerator& statements)
      : model_(model), statements_(statements), log_(model) {}

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
  // Of all expressions that the statement evaluates: "x is 1 since step 7 (user[0])".
  [[nodiscard]] std::vector<std::string> operands_of(ByteView state, uint8_t pid, const Statement& statement) const;
  void watch_loop(const RunStep& run);
  [[nodiscard]] ExplainedProcess waiting(ByteView state, uint8_t pid);

  const Model& model_;
  SuccessorGenerator& statements_;
  WriteLog log_;
  Explanation failure_;
  Explanation claim_;  // of its last step that looked at something
  // Of the loop:
  bool in_loop_ = false;
  uint64_t first_ = 0;  // numbers of its steps
  uint64_t last_ = 0;
  std::map<uint8_t, uint64_t> moves_;       // by process
  std::map<uint8_t, uint64_t> could_move_;  // of those that have not moved: before which step they could
  std::set<uint8_t> there_;                 // the processes that are not at their ends
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
