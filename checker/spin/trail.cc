#include "checker/spin/trail.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "base/lines.h"
#include "checker/result/replay.h"
#include "checker/spin/merged_statements.h"
#include "checker/trace/step_text.h"
#include "ir/state_printer.h"

namespace cmc::spin {
namespace {

constexpr int64_t kCycleMark = -1;
constexpr int64_t kClaimMark = -2;
constexpr int64_t kMergedMark = -4;
// Marks of searches with permuted processes, whose trails SPIN cannot read either.
constexpr int64_t kFirstPermutedMark = -5;
constexpr int64_t kLastPermutedMark = -8;

// "depth:process:statement"
bool parse_line(std::string_view text, TrailLine& line) {
  const char* at = text.data();
  const char* const end = at + text.size();
  for (int64_t* const number : {&line.depth, &line.process, &line.statement}) {
    if (number != &line.depth && (at == end || *at++ != ':')) return false;
    const auto [stop, error] = std::from_chars(at, end, *number);
    if (error != std::errc()) return false;
    at = stop;
  }
  return at == end;
}

// The number of the statement that an edge executes, or -1.
int64_t statement_number(const Edge* edge) { return edge == nullptr ? -1 : int64_t{edge->element}; }

const Edge* sending_edge(const Model& model, ByteView state, const Step& step) {
  return find_edge(model, state, step.pid, step.location, step.edge);
}
const Edge* receiving_edge(const Model& model, ByteView state, const Step& step) {
  return find_edge(model, state, step.partner, step.partner_location, step.partner_edge);
}

class Follower {
 public:
  Follower(const Trail& trail, const Model& model, SuccessorGenerator& statements)
      : trail_(trail), model_(model), statements_(statements), merges_(model) {}

  Result<FollowedTrail> run() {
    batch_.clear();
    statements_.initial(batch_);
    if (batch_.entries.empty()) return Error{"the model has no initial state"};
    take(batch_.entries.front());
    for (at_ = 0; at_ < trail_.lines.size();) {
      if (at_ == trail_.loop_start) result_.loop_start = result_.path.size();
      const TrailLine& line = trail_.lines[at_];
      if (trail_.has_claim && line.process == 0) {
        ++at_;
        continue;
      }
      if (!step(line)) {
        if (at_ > 0 && at_ + 1 == trail_.lines.size()) {
          result_.ignored_line = line.line;
          break;
        }
        return Error{fmt::format("line {}: process {} cannot execute statement {} here", line.line, process_of(line),
                                 line.statement)};
      }
    }
    if (trail_.loop_start == trail_.lines.size()) result_.loop_start = result_.path.size();
    return std::move(result_);
  }

 private:
  // A merged statement may come before it, which has no line.
  static constexpr int kMostMerged = 1000;

  [[nodiscard]] int64_t process_of(const TrailLine& line) const { return line.process - (trail_.has_claim ? 1 : 0); }

  bool step(const TrailLine& line) {
    for (int merged = 0; merged <= kMostMerged; ++merged) {
      batch_.clear();
      statements_.successors(state_, batch_);
      if (const size_t choice = find(line); choice < batch_.entries.size()) {
        const bool begins = begins_merged(last_step(batch_.entries[choice]));
        at_ += accept(batch_.entries[choice], line.depth) ? 2 : 1;
        const TrailLine& last = trail_.lines[at_ - 1];
        if (trail_.merged) take_merged(process_of(last), last.depth, begins);
        return true;
      }
      if (cut(line)) return true;
      const size_t only = trail_.merged ? only_step_of(process_of(line)) : SIZE_MAX;
      if (only == SIZE_MAX) return false;
      accept(batch_.entries[only], line.depth);
    }
    return false;
  }

  // Whether SPIN merges others with this step. Of a rendezvous only the receive can have some behind it.
  [[nodiscard]] bool begins_merged(const Step& step) const {
    const bool receives = step.partner != kNoProcess;
    const Edge* const edge = receives ? receiving_edge(model_, state_, step) : sending_edge(model_, state_, step);
    const std::optional<ProctypeId> proctype = proctype_of(receives ? step.partner : step.pid);
    return edge != nullptr && proctype &&
           merges_.begins(*proctype, receives ? step.partner_location : step.location, *edge);
  }

  // The statements that the verifier merged with the one that was taken: up to where the process's next line can be
  // taken, or, if it has none and they `may` be, as far as SPIN merges.
  void take_merged(int64_t process, int64_t depth, bool may) {
    const auto next = std::find_if(trail_.lines.begin() + static_cast<ptrdiff_t>(at_), trail_.lines.end(),
                                   [&](const TrailLine& line) { return process_of(line) == process; });
    for (int merged = 0; merged < kMostMerged; ++merged) {
      const std::optional<ProctypeId> proctype = proctype_of(process);
      if (!proctype) return;
      const LocationId location = decode_state(model_, state_).processes[static_cast<size_t>(process)].location;
      const bool arrived = next == trail_.lines.end()
                               ? !may || !merges_.continues(*proctype, location)
                               : starts(model_.proctypes[*proctype].locations[location], next->statement);
      if (arrived) return;
      batch_.clear();
      statements_.successors(state_, batch_);
      const size_t only = only_step_of(process);
      if (only == SIZE_MAX) return;
      accept(batch_.entries[only], depth);
    }
  }
  // None: there is no such process.
  [[nodiscard]] std::optional<ProctypeId> proctype_of(int64_t process) const {
    if (process < 0 || static_cast<size_t>(process) >= decode_state(model_, state_).processes.size()) return {};
    const Proctype* const found = find_proctype(model_, state_, static_cast<uint8_t>(process));
    if (found == nullptr) return {};
    return static_cast<ProctypeId>(found - model_.proctypes.data());
  }
  static bool starts(const Location& location, int64_t statement) {
    return std::ranges::any_of(location.edges, [&](const Edge& edge) { return int64_t{edge.element} == statement; });
  }

  // Statements that lie inside the step that was taken (d_step in the middle of a rendezvous) have no line in SPIN.
  // True: it has two, because it is a rendezvous.
  bool accept(const SuccessorBatch::Entry& entry, int64_t depth) {
    bool pair = false;
    for (const Step& step : batch_.path(entry)) {
      result_.path.push_back(step);
      result_.depths.push_back(depth);
      pair = pair || step.partner != kNoProcess;
    }
    take(entry);
    return pair;
  }
  void take(const SuccessorBatch::Entry& entry) {
    const ByteView next = batch_.state(entry);
    state_.assign(next.begin(), next.end());
  }
  [[nodiscard]] bool fits(const Step& step, const TrailLine& line) const {
    if (step.pid != process_of(line) || statement_number(sending_edge(model_, state_, step)) != line.statement) {
      return false;
    }
    if (step.partner == kNoProcess) return true;
    if (at_ + 1 >= trail_.lines.size()) return false;
    const TrailLine& next = trail_.lines[at_ + 1];
    return step.partner == process_of(next) &&
           statement_number(receiving_edge(model_, state_, step)) == next.statement;
  }
  [[nodiscard]] size_t find(const TrailLine& line) const {
    size_t choice = 0;
    while (choice < batch_.entries.size() && !fits(last_step(batch_.entries[choice]), line)) ++choice;
    return choice;
  }
  // Whether the statement fails with an error, which is where the trail ends.
  bool cut(const TrailLine& line) {
    for (const RuntimeError& error : batch_.errors) {
      if (error.path_count == 0) continue;
      const Step& step = batch_.path(error).back();
      if (step.pid != process_of(line) || statement_number(sending_edge(model_, state_, step)) != line.statement) {
        continue;
      }
      for (const Step& each : batch_.path(error)) {
        result_.path.push_back(each);
        result_.depths.push_back(line.depth);
      }
      at_ = trail_.lines.size();
      return true;
    }
    return false;
  }
  [[nodiscard]] const Step& last_step(const SuccessorBatch::Entry& entry) const { return batch_.path(entry).back(); }
  // The entry of the only step that the process can take.
  [[nodiscard]] size_t only_step_of(int64_t process) const {
    size_t only = SIZE_MAX;
    for (size_t i = 0; i < batch_.entries.size(); ++i) {
      if (last_step(batch_.entries[i]).pid != process) continue;
      if (last_step(batch_.entries[i]).partner != kNoProcess) return SIZE_MAX;
      if (only != SIZE_MAX) return SIZE_MAX;
      only = i;
    }
    return only;
  }

  const Trail& trail_;
  const Model& model_;
  SuccessorGenerator& statements_;
  const MergedStatements merges_;
  SuccessorBatch batch_;
  Bytes state_;
  size_t at_ = 0;
  FollowedTrail result_;
};

}  // namespace

Result<Trail> parse_trail(std::string_view text) {
  Trail trail;
  uint32_t number = 0;
  for (std::string_view content : lines_of(text)) {
    ++number;
    if (content.ends_with('\r')) content.remove_suffix(1);
    if (content.empty()) continue;
    TrailLine line;
    line.line = number;
    if (!parse_line(content, line)) {
      return Error{fmt::format("line {}: this is no line of a SPIN trail, depth:process:statement", number)};
    }
    if (line.depth >= 0) {
      trail.lines.push_back(line);
    } else if (line.depth == kCycleMark) {
      trail.loop_start = trail.lines.size();
    } else if (line.depth == kClaimMark) {
      trail.has_claim = true;
    } else if (line.depth == kMergedMark) {
      trail.merged = true;
    } else if (line.depth <= kFirstPermutedMark && line.depth >= kLastPermutedMark) {
      return Error{
          fmt::format("line {}: this trail is of a search with permuted processes, which only its pan can "
                      "follow",
                      number)};
    }
  }
  return trail;
}

Result<FollowedTrail> follow_trail(const Trail& trail, const Model& model, SuccessorGenerator& statements) {
  return Follower(trail, model, statements).run();
}

Result<std::string> trail_text(const Model& model, SuccessorGenerator& statements, std::span<const Step> path,
                               size_t loop_start) {
  std::string text;
  int64_t depth = 0;
  const auto line = [&](uint8_t pid, const Edge* edge) {
    text += fmt::format("{}:{}:{}\n", ++depth, pid, statement_number(edge));
  };
  const auto mark_cycle = [&] { text += fmt::format("{0}:{0}:{0}\n", kCycleMark); };
  const Result<ReplayEnd> end = replay_path(statements, path, [&](const ReplayEvent& event) {
    if (event.index == loop_start) mark_cycle();
    if (event.step.pid == kNoProcess) return;
    line(event.step.pid, sending_edge(model, event.before, event.step));
    if (event.step.partner != kNoProcess) line(event.step.partner, receiving_edge(model, event.before, event.step));
  });
  if (!end.ok()) return Error{end.error()};
  if (loop_start == path.size()) mark_cycle();
  return text;
}

}  // namespace cmc::spin
