#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checker/report/explanation.h"
#include "checker/report/report.h"
#include "checker/trace/step_text.h"
#include "ir/state_printer.h"

// The one model of a run for people and programs: a state and the steps behind it, each with what it changed, so that
// every later state can be made again. Each view (text, JSON, charts, ITF, the page) reads this and nothing else.

namespace cmc {

// One part of the state that a step changed.
struct TraceChange {
  enum class Kind : uint8_t {
    kVariable,
    kPriority,
    kStart,    // of a process: `name` is its label; its locals and channels are in TraceStep::started and ::opened
    kEnd,      // of a process, with its channels
    kChannel,  // its contents: `old_messages` and `new_messages` instead of values
  };
  Kind kind = Kind::kVariable;
  uint32_t pid = kNoProcess;  // whose local, priority, start, end; kNoProcess: a global variable or a channel
  uint32_t index = 0;  // of the variable among the globals or the locals, of the channel in StateImage::channels
  std::string name;    // "x[2]", "user[0].n", "q"
  std::string old_value;
  std::string new_value;
  std::vector<std::string> old_messages;
  std::vector<std::string> new_messages;
};

struct TraceMessage {
  enum class Kind : uint8_t { kSent, kReceived, kRead, kHandedOver } kind = Kind::kSent;
  std::string channel;
  std::vector<std::string> fields;
  uint64_t sent_at = 0;  // of a received one: number of the step that sent it; 0: not known
};

// Where a process is behind the step.
struct TraceMove {
  uint32_t pid = 0;
  LocationId location = 0;
  SourcePlace place;
};

struct TraceStep {
  uint64_t number = 0;  // from 1; 0: a move of the claim
  StepText text;        // who, where, what; with the receiver of a rendezvous
  std::string kind;     // "send", "receive", "rendezvous", "assignment", ... (step_kind())
  std::vector<TraceMove> moves;
  std::optional<TraceMessage> message;
  std::vector<TraceChange> changes;   // in the order of the state vector
  std::vector<ProcessImage> started;  // behind those that were there
  std::vector<ChannelImage> opened;   // likewise
  uint32_t atomic_holder = kNoProcess;
  std::optional<std::string> printed;  // what the model prints
  std::vector<std::string> notes;      // values that lose bits
  std::vector<RuntimeError> errors;
  std::vector<std::string> remarks;  // which atoms of the formula become true or false
  bool cut = false;                  // an error cut the step: it changed nothing
  bool begins_loop = false;
  bool looks_outside = false;  // it reads more than the process's own variables, or is not a plain statement

  [[nodiscard]] bool of_claim() const { return text.actor.pid == kNoProcess; }
};

struct Trace {
  std::string property;
  Fairness fairness = Fairness::kNone;
  Report::ErrorEntry error;        // kind "": the run ended without an error
  std::string outcome;             // of a simulation: how it ended; else empty
  uint64_t left_out = 0;           // steps in front of `initial`
  StateImage initial;              // before steps.front()
  std::vector<std::string> atoms;  // of the formula, with their values in `initial`: "(x==3) false"
  std::vector<TraceStep> steps;
  StateImage final_state;
  // Of a run that never ends: the number of the first step that is repeated; one behind the last step: the system is
  // blocked there. 0: the run ends.
  uint64_t loop_start = 0;
  Explanation explanation;
};

// The state behind the step, from the one before it.
void apply(const TraceStep& step, StateImage& state);

// "user[0]"
[[nodiscard]] std::string process_label(const ProcessImage& process);

// "[1] [2]", "empty"
[[nodiscard]] std::string contents_text(const std::vector<std::string>& messages);

// "x: 0 -> 1", "P[2] starts", "P[2].n: 1", "q: [1] -> [1] [2]". Leaves out the channel of the step's message.
[[nodiscard]] std::vector<std::string> change_texts(const TraceStep& step);

// The fields of a message as ChannelImage has it: "ack,3". No value has a comma.
[[nodiscard]] std::vector<std::string> fields_of(const std::string& message);

// The variable of a channel that the process owns. Its channel is shown instead.
[[nodiscard]] bool names_own_channel(const ProcessImage& process, const NamedValue& local);

// Reads and writes nothing but its process's own variables and place, and neither fails nor prints.
[[nodiscard]] bool is_local(const TraceStep& step);

}  // namespace cmc
