#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/limits.h"
#include "checker/check/model_file.h"
#include "checker/conform/event_log.h"
#include "checker/conform/event_map.h"
#include "checker/conform/search.h"
#include "checker/generator/guard_decider.h"
#include "checker/result/coverage.h"

namespace cmc::conform {

// What is known of one log, or of several that one run has to explain.
struct ConformReport {
  using Outcome = ConformSearch::Outcome;
  Outcome outcome = Outcome::kIncomplete;
  std::string reason;              // of kIncomplete
  std::vector<std::string> files;  // of the log
  uint64_t events = 0;
  uint64_t explained = 0;  // of them, at most
  uint64_t states = 0;     // of the model, that were looked at
  uint64_t pairs = 0;
  std::vector<ConformSearch::Passed> run;  // of kExplained, and of `change`
  // Of kNotExplained.
  struct Line {
    TextPlace place;
    std::string text;
  };
  std::vector<Line> next;                 // the first events that no run explains
  bool wants_end = false;                 // all events are explained, but the model is not at an end
  std::vector<std::string> alternatives;  // what the model could have done
  bool all_alternatives = true;
  std::optional<std::string> change;
  bool all_changes = true;
};

struct ConformOptions {
  bool to_end = false;
  bool explains = true;     // why a log is not explained
  uint64_t most_pairs = 0;  // 0: no limit
  bool reduces = true;      // leaves out steps that others need not wait for (independence.h)
  uint64_t unreduced_pairs = ConformSearch::Options().unreduced_pairs;
};

// Holds a log against the model. A run is replayed by the reference interpreter before it is believed.
[[nodiscard]] ConformReport conform(const Model& model, const EventMap& map, const EventLog& log,
                                    SuccessorGenerator& statements, GuardDecider* decider,
                                    const ConformOptions& options, Limits& limits);

// Fills in why the log is not explained. `changes`: also which change would help, for a search that forgets nothing.
void explain(ConformSearch& search, const EventLog& log, bool changes, ConformReport& report);

// Why the run is none of the model, or its events are not the log; empty: it is what it should be. `coverage`, if not
// null, notes its steps.
[[nodiscard]] std::string fault_of(const EventMap& map, const EventLog& log, SuccessorGenerator& reference,
                                   const std::vector<ConformSearch::Passed>& run, bool to_end,
                                   Coverage* coverage = nullptr);

[[nodiscard]] std::vector<Step> path_of(const std::vector<ConformSearch::Passed>& run);

}  // namespace cmc::conform
