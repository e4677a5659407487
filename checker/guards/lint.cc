#include "checker/guards/lint.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "checker/guards/formula.h"
#include "checker/guards/selections.h"
#include "ir/print.h"

namespace cmc::guards {

namespace {

constexpr size_t kMaxNotes = 3;
constexpr size_t kMaxExampleValues = 6;

class Linter {
 public:
  Linter(const Model& model, solver::GuardOracle& oracle, const LintOptions& options)
      : model_(model), oracle_(oracle), options_(options), selections_(selections(model)) {}

  LintResult run(const std::atomic<bool>& interrupted) {
    for (size_t i = 0; i < selections_.size() && !interrupted; ++i) ask_about(i);
    while (oracle_.pending() > 0 && !interrupted) {
      for (const solver::Completed& completed : oracle_.poll(0.2)) take(completed);
    }
    collect_findings();
    return std::move(result_);
  }

 private:
  // What is a finding if the answer is the wanted one.
  struct Candidate {
    Finding finding;
    size_t selection = 0;
    solver::Outcome wanted = solver::Outcome::kUnsat;
    std::vector<FreeSymbols::Entry> entries;
    bool confirmed = false;
  };

  [[nodiscard]] const Statement& statement(StatementId id) const { return model_.statements[id]; }
  [[nodiscard]] std::string text(size_t selection, StatementId id) const {
    return statement_text(model_, selections_[selection].proctype, id);
  }

  // Executable in every state.
  [[nodiscard]] bool never_blocks(StatementId id) const {
    switch (statement(id).kind) {
      case StatementKind::kAssign:
      case StatementKind::kAssert:
      case StatementKind::kPrintf:
      case StatementKind::kPrintm:
      case StatementKind::kSetPriority: return true;
      default: return false;
    }
  }

  [[nodiscard]] std::optional<Formula> formula(size_t selection, const std::vector<StatementId>& guards,
                                               bool wanted) const;
  [[nodiscard]] std::vector<StatementId> decidable_guards(size_t selection) const;

  void ask_about(size_t selection);
  void ask_about_guard(size_t selection, StatementId id);
  void ask_about_else(size_t selection, size_t position);
  void ask_about_overlaps(size_t selection);
  void ask_about_gaps(size_t selection);
  void ask(Candidate candidate, const std::optional<Formula>& formula);
  void take(const solver::Completed& completed);
  void collect_findings();
  [[nodiscard]] std::optional<size_t> else_of(size_t selection) const;

  const Model& model_;
  solver::GuardOracle& oracle_;
  const LintOptions options_;
  const std::vector<Selection> selections_;
  std::vector<Candidate> candidates_;
  std::map<solver::Ticket, size_t> asked_;  // index of the candidate
  std::set<StatementId> known_;
  LintResult result_;
};

std::optional<size_t> Linter::else_of(size_t selection) const {
  const std::vector<StatementId>& options = selections_[selection].options;
  const auto place =
      std::ranges::find_if(options, [&](StatementId id) { return statement(id).kind == StatementKind::kElse; });
  if (place == options.end()) return std::nullopt;
  return static_cast<size_t>(place - options.begin());
}

// All of them true, or all false. None: it cannot be said, or looks at nothing.
std::optional<Formula> Linter::formula(size_t selection, const std::vector<StatementId>& guards, bool wanted) const {
  FormulaWriter writer(model_, *selections_[selection].proctype);
  for (const StatementId id : guards) {
    if (!writer.add(statement(id), wanted)) return std::nullopt;
  }
  Formula formula = writer.formula();
  if (formula.entries.empty()) return std::nullopt;
  return formula;
}

// Those that look at variables, and at nothing else.
std::vector<StatementId> Linter::decidable_guards(size_t selection) const {
  std::vector<StatementId> guards;
  for (const StatementId id : selections_[selection].options) {
    if (statement(id).kind != StatementKind::kCondition) continue;
    const std::optional<Formula> all = formula(selection, {id}, true);
    const auto is_variable = [](const FreeSymbols::Entry& each) { return each.variable != nullptr; };
    if (all && std::ranges::all_of(all->entries, is_variable)) guards.push_back(id);
  }
  return guards;
}

void Linter::ask_about(size_t selection) {
  const std::vector<StatementId>& options = selections_[selection].options;
  for (const StatementId id : options) {
    const bool is_guard =
        statement(id).kind == StatementKind::kCondition || statement(id).kind == StatementKind::kChoose;
    if (is_guard && known_.insert(id).second) ask_about_guard(selection, id);
  }
  if (const std::optional<size_t> position = else_of(selection)) ask_about_else(selection, *position);
  if (options_.overlaps) ask_about_overlaps(selection);
  if (options_.incomplete) ask_about_gaps(selection);
}

void Linter::ask_about_guard(size_t selection, StatementId id) {
  const bool is_option = selections_[selection].options.size() > 1;
  const char* what = is_option ? "guard" : "condition";
  const std::string guard = text(selection, id);
  const SourcePlace place = statement(id).place;
  const std::string never =
      fmt::format("{} {} {}, so {}", what, guard,
                  solver_guard(model_, statement(id)) != nullptr ? "never has a witness" : "is never true",
                  is_option ? "this option is never taken" : "no process gets past it");
  ask({.finding = {FindingKind::kNeverTrue, place, never, {}}, .selection = selection, .entries = {}},
      formula(selection, {id}, true));
  const std::string always = fmt::format("{} {} is always true{}", what, guard,
                                         !is_option           ? ", so nothing is waited for"
                                         : else_of(selection) ? ", so `else` is never taken"
                                                              : "");
  ask({.finding = {FindingKind::kAlwaysTrue, place, always, {}}, .selection = selection, .entries = {}},
      formula(selection, {id}, false));
}

void Linter::ask_about_else(size_t selection, size_t position) {
  const std::vector<StatementId>& options = selections_[selection].options;
  Candidate candidate{.finding = {FindingKind::kElseNeverTaken, statement(options[position]).place, {}, {}},
                      .selection = selection,
                      .entries = {}};
  std::vector<StatementId> guards;
  for (size_t i = 0; i < position; ++i) {
    if (never_blocks(options[i])) {
      candidate.finding.message =
          fmt::format("`else` is never taken: {} is always executable", text(selection, options[i]));
      candidate.confirmed = true;
      candidates_.push_back(std::move(candidate));
      return;
    }
    const bool is_condition = statement(options[i]).kind == StatementKind::kCondition;
    if (is_condition && formula(selection, {options[i]}, true)) guards.push_back(options[i]);
  }
  candidate.finding.message = "`else` is never taken: one of the guards before it is true in every state";
  ask(std::move(candidate), formula(selection, guards, false));
}

void Linter::ask_about_overlaps(size_t selection) {
  const std::vector<StatementId> guards = decidable_guards(selection);
  for (size_t i = 0; i < guards.size(); ++i) {
    for (size_t j = i + 1; j < guards.size(); ++j) {
      const std::string message = fmt::format("guard {} can be true together with {}", text(selection, guards[j]),
                                              text(selection, guards[i]));
      ask({.finding = {FindingKind::kOverlap, statement(guards[j]).place, message, {}},
           .selection = selection,
           .wanted = solver::Outcome::kSat,
           .entries = {}},
          formula(selection, {guards[i], guards[j]}, true));
    }
  }
}

void Linter::ask_about_gaps(size_t selection) {
  const std::vector<StatementId> guards = decidable_guards(selection);
  if (guards.size() < 2 || guards.size() != selections_[selection].options.size()) return;
  ask({.finding =
           {FindingKind::kIncomplete, selections_[selection].place, "no guard of this selection need be true", {}},
       .selection = selection,
       .wanted = solver::Outcome::kSat,
       .entries = {}},
      formula(selection, guards, false));
}

// Without a formula it is no finding, and nor is what the model has at the same place.
void Linter::ask(Candidate candidate, const std::optional<Formula>& formula) {
  if (formula) {
    candidate.entries = formula->entries;
    const bool wants_example = candidate.wanted == solver::Outcome::kSat;
    asked_[oracle_.submit(formula->query(wants_example ? solver::Goal::kLeast : solver::Goal::kExists))] =
        candidates_.size();
    ++result_.questions;
  }
  candidates_.push_back(std::move(candidate));
}

void Linter::take(const solver::Completed& completed) {
  Candidate& candidate = candidates_[asked_.at(completed.ticket)];
  const solver::Answer& answer = completed.answer;
  if (!answer.decided()) ++result_.undecided;
  candidate.confirmed = answer.outcome == candidate.wanted;
  if (!candidate.confirmed || answer.witnesses.empty()) return;
  std::vector<std::string> values;
  for (size_t i = 0; i < candidate.entries.size() && i < kMaxExampleValues; ++i) {
    values.push_back(fmt::format("{} = {}", candidate.entries[i].text, answer.witnesses[0][i]));
  }
  if (candidate.entries.size() > kMaxExampleValues) values.emplace_back("...");
  candidate.finding.message += fmt::format(", for example when {}", fmt::join(values, ", "));
}

std::vector<Finding::Note> notes_about(const std::vector<FreeSymbols::Entry>& entries) {
  std::vector<Finding::Note> notes;
  std::set<const Variable*> told;
  for (const FreeSymbols::Entry& each : entries) {
    if (each.variable == nullptr || !told.insert(each.variable).second || notes.size() == kMaxNotes) continue;
    notes.push_back({each.variable->place,
                     fmt::format("{} can be {}..{}", each.variable->name, each.range.low, each.range.high)});
  }
  return notes;
}

void Linter::collect_findings() {
  std::set<size_t> has_sure_guard;  // selections: their `else` is told of with the guard
  std::set<std::tuple<FindingKind, SourcePlace>> refuted;
  // What has no value in any state, such as 1 / 0, is neither true nor false: it is never true.
  for (const Candidate& each : candidates_) {
    if (each.confirmed && each.finding.kind == FindingKind::kNeverTrue)
      refuted.insert({FindingKind::kAlwaysTrue, each.finding.place});
  }
  for (const Candidate& each : candidates_) {
    const bool is_about_all = each.wanted == solver::Outcome::kUnsat;  // and not an example
    if (!each.confirmed && is_about_all) refuted.insert({each.finding.kind, each.finding.place});
    const bool is_sure = each.confirmed && each.finding.kind == FindingKind::kAlwaysTrue;
    if (is_sure && !refuted.contains({each.finding.kind, each.finding.place})) has_sure_guard.insert(each.selection);
  }
  std::set<std::tuple<SourcePlace, FindingKind, std::string>> told;
  for (Candidate& each : candidates_) {
    Finding& finding = each.finding;
    if (!each.confirmed || refuted.contains({finding.kind, finding.place})) continue;
    if (finding.kind == FindingKind::kElseNeverTaken && has_sure_guard.contains(each.selection)) continue;
    if (!told.insert({finding.place, finding.kind, finding.message}).second) continue;
    if (each.wanted == solver::Outcome::kUnsat) finding.notes = notes_about(each.entries);
    result_.findings.push_back(std::move(finding));
  }
  std::ranges::stable_sort(result_.findings, {}, &Finding::place);
}

}  // namespace

std::string_view name_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::kNeverTrue: return "never-true";
    case FindingKind::kAlwaysTrue: return "always-true";
    case FindingKind::kElseNeverTaken: return "else-never-taken";
    case FindingKind::kOverlap: return "overlap";
    case FindingKind::kIncomplete: return "incomplete";
  }
  return "?";
}

LintResult lint(const Model& model, solver::GuardOracle& oracle, const LintOptions& options,
                const std::atomic<bool>& interrupted) {
  return Linter(model, oracle, options).run(interrupted);
}

}  // namespace cmc::guards
