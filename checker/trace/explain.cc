#include "checker/trace/explain.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include <fmt/format.h>

#include "base/units.h"
#include "checker/properties/formula_check.h"
#include "checker/trace/step_text.h"
#include "ir/print.h"

namespace cmc {
namespace {

// Looking whether a process could move costs an expansion.
constexpr uint64_t kWatchedLoopSteps = 10'000;

std::string place_text(const ExplainedProcess& process) {
  if (process.file.empty()) return "";
  return fmt::format(" at {}:{}", file_name(process.file), process.line);
}

// What is said of a process; many processes of which the same is said become one sentence.
struct Sentence {
  std::string process;
  std::string of_one;   // "waits for x"
  std::string of_many;  // "wait for x"
};

std::string names_text(const std::vector<std::string>& names) {
  constexpr size_t kMost = 3;
  if (names.size() == 1) return names.front();
  if (names.size() > kMost + 1) {
    return fmt::format("{} and {} more", fmt::join(std::span(names).first(kMost), ", "), names.size() - kMost);
  }
  return fmt::format("{} and {}", fmt::join(std::span(names).first(names.size() - 1), ", "), names.back());
}

void add_sentences(const std::vector<Sentence>& sentences, std::vector<std::string>& lines) {
  std::vector<std::pair<const Sentence*, std::vector<std::string>>> groups;
  for (const Sentence& sentence : sentences) {
    auto group =
        std::ranges::find_if(groups, [&](const auto& each) { return each.first->of_one == sentence.of_one; });
    if (group == groups.end()) group = groups.insert(groups.end(), {&sentence, {}});
    group->second.push_back(sentence.process);
  }
  for (const auto& [sentence, names] : groups) {
    lines.push_back(
        fmt::format("{} {}", names_text(names), names.size() == 1 ? sentence->of_one : sentence->of_many));
  }
}

Sentence wait_sentence(const ExplainedProcess& process) {
  std::string rest = place_text(process);
  if (!process.waits.empty()) rest += fmt::format(" for {}", fmt::join(process.waits, "; or for "));
  return {process.process, "waits" + rest, "wait" + rest};
}

const Location* location_of(const Model& model, ByteView state, uint8_t pid) {
  const Proctype& proctype = *find_proctype(model, state, pid);
  const auto location = load<LocationId>(state.data() + frame_offset(model, state, pid) + kFrameLocation);
  return location < proctype.locations.size() ? &proctype.locations[location] : nullptr;
}

bool is_at_end(const Model& model, ByteView state, uint8_t pid) {
  const Proctype& proctype = *find_proctype(model, state, pid);
  const auto location = load<LocationId>(state.data() + frame_offset(model, state, pid) + kFrameLocation);
  return location == proctype.end || location >= proctype.locations.size();
}

// All expressions that the statement evaluates.
std::vector<ExpressionId> expressions_of(const Statement& statement) {
  std::vector<ExpressionId> all = statement.operands;
  if (statement.expression != kNoExpression) all.push_back(statement.expression);
  for (const VariableReference::Index& index : statement.target.indices) all.push_back(index.expression);
  return all;
}

// The assertion in a d_step that the error is about; null: it is another error, or statement.
const Statement* failing_in_block(const Model& model, const Statement& block, const RuntimeError& error) {
  if (error.kind != RuntimeErrorKind::kAssertion) return nullptr;
  for (const DeterministicNode& node : block.body) {
    for (const DeterministicNode::Alternative& each : node.alternatives) {
      const Statement& statement = model.statements[each.statement];
      const bool is_it = statement.kind == StatementKind::kAssert && statement.place == error.place &&
                         error.message.ends_with(statement.text);
      if (is_it) return &statement;
    }
  }
  return nullptr;
}

}  // namespace

void Explainer::step(const RunStep& run) {
  if (!run.errors.empty()) explain_failure(run);
  if (in_loop_) watch_loop(run);
  note_branch(run);
  log_.step(run);
}

void Explainer::note_branch(const RunStep& run) {
  for (const auto& [pid, location, number] :
       {std::tuple(run.step.pid, run.step.location, run.step.edge),
        std::tuple(run.step.partner, run.step.partner_location, run.step.partner_edge)}) {
    if (pid == kNoProcess) continue;
    const Edge* const edge = find_edge(model_, run.before, pid, location, number);
    if (edge == nullptr) continue;
    if (location_of(model_, run.before, pid)->edges.size() > 1) branches_[pid] = {run.number, edge->statement};
  }
  if (run.after.empty()) return;
  const auto processes = load<uint8_t>(run.after.data() + model_.process_count_offset());
  branches_.erase(branches_.lower_bound(processes), branches_.end());  // another one may get the pid
}

std::string Explainer::way_there(ByteView state, uint8_t pid) const {
  const auto found = branches_.find(pid);
  if (found == branches_.end()) return "";
  const Branch& branch = found->second;
  const Statement& statement = model_.statements[branch.statement];
  std::string text =
      fmt::format("{} came there by {} in step {}", process_label(model_, state, pid), statement.text, branch.number);
  if (statement.kind != StatementKind::kCondition) return text;
  for (const Operand& operand : deciding_operands(model_, state, pid, statement.expression)) {
    const bool is_as_then = operand.bytes && log_.last(*operand.bytes).number < branch.number;
    if (is_as_then) text += fmt::format("; {}", operand_text(log_, operand));
  }
  return text;
}

void Explainer::explain_failure(const RunStep& run) {
  const Edge* const edge = find_edge(model_, run.before, run.step.pid, run.step.location, run.step.edge);
  if (edge == nullptr || run.step.pid == kNoProcess) return;  // of the claim: claim_step()
  failure_ = {};
  ExplainedProcess process;
  process.pid = run.step.pid;
  process.process = process_label(model_, run.before, run.step.pid);
  process.since = log_.arrival(run.step.pid);
  const Statement& whole = model_.statements[edge->statement];
  const Statement* const inner = failing_in_block(model_, whole, run.errors.back());
  const Statement& statement = inner != nullptr ? *inner : whole;
  process.file = file_of(model_, statement.place);
  process.line = statement.place.line;
  failure_.processes.push_back(process);
  const std::vector<std::string> texts =
      inner != nullptr ? operands_in_block(run, statement) : operands_of(run.before, run.step.pid, statement);
  if (!texts.empty()) {
    failure_.lines = {fmt::format("{}{}: {}", process.process, place_text(process), fmt::join(texts, ", "))};
  } else if (statement.kind == StatementKind::kAssert && inner == nullptr) {
    failure_.lines = {fmt::format("{}{}: no variable decides {}, it always fails here", process.process,
                                  place_text(process), statement.text)};
    const std::string way = way_there(run.before, run.step.pid);
    if (!way.empty()) failure_.lines.push_back(way);
  }
}

std::vector<std::string> Explainer::operands_of(ByteView state, uint8_t pid, const Statement& statement) const {
  std::vector<std::string> texts;
  for (const ExpressionId id : expressions_of(statement)) {
    for (const Operand& operand : deciding_operands(model_, state, pid, id)) {
      std::string text = operand_text(log_, operand);
      if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
    }
  }
  return texts;
}

std::vector<std::string> Explainer::operands_in_block(const RunStep& run, const Statement& statement) const {
  std::vector<std::string> texts;
  if (run.after.empty()) return texts;
  const uint8_t pid = run.step.pid;
  const bool fails_before = value_of(model_, run.before, pid, statement.expression) == 0;
  for (const Operand& operand :
       deciding_operands(model_, fails_before ? run.before : run.after, pid, statement.expression)) {
    const bool is_kept =
        !operand.bytes || std::ranges::equal(run.before.subspan(operand.bytes->begin, operand.bytes->size),
                                             run.after.subspan(operand.bytes->begin, operand.bytes->size));
    texts.push_back(is_kept ? operand_text(log_, operand)
                            : fmt::format("{} is {} {} this step, which changes it", operand.name, operand.value,
                                          fails_before ? "before" : "behind"));
  }
  return texts;
}

void Explainer::claim_step(const RunStep& run) {
  const Edge* const edge = find_edge(model_, run.before, run.step.pid, run.step.location, run.step.edge);
  if (edge == nullptr) return;
  const Statement& statement = model_.statements[edge->statement];
  const std::vector<std::string> texts = operands_of(run.before, kNoProcess, statement);
  if (texts.empty()) return;
  const std::string place = short_place(model_, statement.place);
  claim_.lines = {fmt::format("{}{}: {}; {}", model_.claims[model_.claim.claim].name,
                              place.empty() ? "" : " at " + place, statement.text, fmt::join(texts, ", "))};
}

Explanation Explainer::claim_end(ByteView state) const {
  const Property* const formula = formula_of_claim(model_);
  if (formula == nullptr) return claim_;
  Explanation explanation;
  for (const ExpressionId atom : atoms_of(model_, formula->formula)) {
    const std::optional<int32_t> value = value_of(model_, state, kNoProcess, atom);
    if (!value) continue;
    std::string line = fmt::format("{} is {}", expression_text(model_, nullptr, atom), *value != 0);
    for (const Operand& operand : deciding_operands(model_, state, kNoProcess, atom))
      line += fmt::format("; {}", operand_text(log_, operand));
    explanation.lines.push_back(std::move(line));
  }
  return explanation;
}

void Explainer::begin_loop(ByteView state) {
  in_loop_ = true;
  atoms_.add(state);
  const auto count = load<uint8_t>(state.data() + model_.process_count_offset());
  for (uint8_t pid = 0; pid < count; ++pid) {
    if (!is_at_end(model_, state, pid)) there_.insert(pid);
  }
}

void Explainer::watch_loop(const RunStep& run) {
  if (!run.after.empty()) atoms_.add(run.after);
  if (run.number == 0) return;
  if (first_ == 0) first_ = run.number;
  last_ = run.number;
  ++moves_[run.step.pid];
  if (run.step.partner != kNoProcess) ++moves_[run.step.partner];
  if (last_ - first_ >= kWatchedLoopSteps) return;
  const bool is_inside = load<uint8_t>(run.before.data() + model_.atomic_holder_offset()) == run.step.pid;
  if (is_inside) return;  // of an atomic sequence, where nobody else could
  SuccessorBatch batch;
  for (const uint8_t pid : there_) {
    if (moves_.contains(pid) || (could_move_.contains(pid) && blocked_.contains(pid))) continue;
    batch.clear();
    if (!statements_.process_successors(run.before, pid, false, nullptr, batch)) {
      blocked_.insert(pid);
    } else {
      could_move_.emplace(pid, run.number);
    }
  }
}

ExplainedProcess Explainer::waiting(ByteView state, uint8_t pid) {
  ExplainedProcess process;
  process.pid = pid;
  process.process = process_label(model_, state, pid);
  process.since = log_.arrival(pid);
  const SourcePlace place = place_of_process(model_, state, pid);
  process.file = file_of(model_, place);
  process.line = place.line;
  process.waits = what_it_waits_for(model_, state, pid, log_);
  return process;
}

Explanation Explainer::deadlock(ByteView state, bool all) {
  Explanation explanation;
  std::vector<Sentence> sentences;
  const auto count = load<uint8_t>(state.data() + model_.process_count_offset());
  for (uint8_t pid = 0; pid < count; ++pid) {
    const Location* const location = location_of(model_, state, pid);
    if (is_at_end(model_, state, pid) || (!all && location->valid_end)) continue;
    explanation.processes.push_back(waiting(state, pid));
    sentences.push_back(wait_sentence(explanation.processes.back()));
  }
  add_sentences(sentences, explanation.lines);
  return explanation;
}

Explanation Explainer::loop(ByteView state) {
  Explanation explanation;
  if (last_ == 0) {
    explanation = deadlock(state, true);
    const std::vector<std::string> atoms = atoms_.lines(state, log_);
    explanation.lines.insert(explanation.lines.begin(), atoms.begin(), atoms.end());
    return explanation;
  }
  std::vector<std::string> movers;
  const auto count = load<uint8_t>(state.data() + model_.process_count_offset());
  for (const auto& [pid, steps] : moves_) {
    if (pid >= count) continue;  // it begins and ends in the loop
    movers.push_back(fmt::format("{} ({})", process_label(model_, state, pid), plural(steps, "step")));
  }
  explanation.lines.push_back(
      first_ == last_
          ? fmt::format("step {} is repeated for ever, by {}", first_, fmt::join(movers, ", "))
          : fmt::format("steps {} to {} are repeated for ever, by {}", first_, last_, fmt::join(movers, ", ")));
  std::ranges::copy(atoms_.lines(state, log_), std::back_inserter(explanation.lines));
  std::vector<Sentence> sentences;
  for (const uint8_t pid : there_) {
    if (moves_.contains(pid)) continue;
    ExplainedProcess process = waiting(state, pid);
    const auto could = could_move_.find(pid);
    if (could != could_move_.end()) {
      process.waits.clear();
      const bool always = last_ - first_ < kWatchedLoopSteps && !blocked_.contains(pid);
      const std::string when =
          always ? fmt::format(" always could{}; with --fairness weak no such run counts", place_text(process))
                 : fmt::format(" could before step {}{}", could->second, place_text(process));
      sentences.push_back({process.process, "never moves in the loop, although it" + when,
                           "never move in the loop, although each" + when});
    } else {
      const Sentence waits = wait_sentence(process);
      sentences.push_back({process.process, "never moves in the loop: it " + waits.of_one,
                           "never move in the loop: they " + waits.of_many});
    }
    explanation.processes.push_back(std::move(process));
  }
  add_sentences(sentences, explanation.lines);
  return explanation;
}

}  // namespace cmc
