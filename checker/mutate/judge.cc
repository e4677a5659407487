#include "checker/mutate/judge.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/units.h"
#include "checker/check/check.h"
#include "checker/mutate/compare.h"
#include "checker/reference/reference.h"
#include "checker/result/replay.h"
#include "checker/trace/recorder.h"

namespace cmc::mutate {
namespace {

constexpr uint64_t kFactor = 10;  // of the model's states and seconds
constexpr uint64_t kSpareStates = 1000;
constexpr double kSpareSeconds = 1;

// Small searches: nothing is compiled, nothing goes to the disk, no counterexample is shortened.
CheckRequest small(CheckRequest request) {
  request.generator = request.generator == GeneratorKind::kAuto ? GeneratorKind::kVm : request.generator;
  request.shorten_seconds = 0;
  request.max_trails = 1;
  request.threads = 1;
  request.store.enabled = false;
  return request;
}

void add_statements(const Model& model, const cmc::Location& location, std::set<SourcePlace>& places) {
  places.insert(location.place);
  for (const Edge& edge : location.edges) {
    const Statement& statement = model.statements[edge.statement];
    places.insert(statement.place);
    for (const DeterministicNode& node : statement.body) {
      for (const DeterministicNode::Alternative& each : node.alternatives) {
        if (each.statement != kNoStatement) places.insert(model.statements[each.statement].place);
      }
    }
  }
}

// Plain statements at locations that no process comes to. One that another location has, too, is not among them, nor
// are jumps: SPIN's rules leave out the locations in front of many of them.
std::set<SourcePlace> unreached_statements(const Model& model, const ReachedLocations& reached) {
  std::set<SourcePlace> with_process, without;
  for (size_t p = 0; p < reached.reached.size() && p < model.proctypes.size(); ++p) {
    const std::vector<cmc::Location>& locations = model.proctypes[p].locations;
    for (size_t at = 0; at < locations.size() && at < reached.reached[p].size(); ++at) {
      if (reached.reached[p][at]) add_statements(model, locations[at], with_process);
      if (reached.reached[p][at] || locations[at].generic) continue;
      for (const Edge& edge : locations[at].edges) {
        const Statement& statement = model.statements[edge.statement];
        if (statement.kind != StatementKind::kSkip) without.insert(statement.place);
      }
    }
  }
  std::erase_if(without, [&](const SourcePlace& place) { return with_process.contains(place); });
  return without;
}

// A solver's answers, C code and places of processes are not seen in a graph.
bool can_be_compared(const Model& model) {
  const bool looks_at_places = std::ranges::any_of(
      model.expressions, [](const Expression& each) { return each.op == cmc::Operator::kLocationOf; });
  const bool has_c = std::ranges::any_of(
      model.properties, [](const cmc::Property& each) { return each.kind == cmc::Property::Kind::kEmbeddedC; });
  return model.guards.empty() && !looks_at_places && !has_c;
}

bool same_variable(const VariableReference& one, const VariableReference& other) {
  return one.space == other.space && one.variable == other.variable;
}

// All that is evaluated to assign something to the variable.
std::set<ExpressionId> own_expressions(const Model& model, const VariableReference& variable) {
  std::vector<ExpressionId> open;
  for (const Statement& each : model.statements) {
    if (each.kind == StatementKind::kAssign && same_variable(each.target, variable)) open.push_back(each.expression);
  }
  std::set<ExpressionId> own;
  while (!open.empty()) {
    const ExpressionId next = open.back();
    open.pop_back();
    if (next == kNoExpression || !own.insert(next).second) continue;
    const std::vector<ExpressionId>& operands = model.expressions[next].operands;
    open.insert(open.end(), operands.begin(), operands.end());
  }
  return own;
}

// Whether nothing reads the variable that is assigned there, but to compute its own next value. A local variable
// counts as read if that of another proctype with its number is.
bool assigns_unread(const Model& model, const SourcePlace& place) {
  const auto statement = std::ranges::find_if(model.statements, [&](const Statement& each) {
    return each.kind == StatementKind::kAssign && each.place == place && !each.discard_target;
  });
  if (place.line == 0 || statement == model.statements.end()) return false;
  const std::set<ExpressionId> own = own_expressions(model, statement->target);
  for (ExpressionId id = 0; id < model.expressions.size(); ++id) {
    const Expression& each = model.expressions[id];
    const bool reads = each.op == cmc::Operator::kVariable || each.op == cmc::Operator::kRemoteVariable;
    if (reads && same_variable(each.reference, statement->target) && !own.contains(id)) return false;
  }
  return true;
}

std::vector<std::string> run_texts(const Model& model, std::span<const Step> run) {
  std::vector<std::string> lines;
  TraceRecorder recorder(model);
  const std::unique_ptr<SuccessorGenerator> reference = make_reference_generator(model);
  uint64_t number = 0;
  const Result<ReplayEnd> end = replay_path(*reference, run, [&](const ReplayEvent& event) {
    if (number == 0) recorder.start(event.before);
    const TraceStep step = recorder.record({++number, event.step, event.before, event.after, event.errors});
    std::string line =
        fmt::format("{} line {}: {}", process_label(step.text.actor), step.text.actor.line, step.text.actor.text);
    if (step.text.partner) {
      line += fmt::format(" => {} line {}: {}", process_label(*step.text.partner), step.text.partner->line,
                          step.text.partner->text);
    }
    const std::vector<std::string> changes = change_texts(step);
    if (!changes.empty()) line += fmt::format("  [{}]", fmt::join(changes, ", "));
    for (const RuntimeError& error : event.errors) line += fmt::format("  {}", error.message);
    lines.push_back(std::move(line));
  });
  return end.ok() ? lines : std::vector<std::string>{};
}

}  // namespace

std::string judgement_json(const Judgement& judgement) {
  const nlohmann::json json = {{"verdict", static_cast<int>(judgement.verdict)},
                               {"property", judgement.property},
                               {"message", judgement.message},
                               {"line", judgement.line},
                               {"states", judgement.states},
                               {"seconds", judgement.seconds},
                               {"run", judgement.run},
                               {"run_of_model", judgement.run_of_model}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<Judgement> parse_judgement(std::string_view text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  Judgement judgement;
  judgement.verdict = static_cast<Verdict>(json.value("verdict", 0));
  judgement.property = json.value("property", "");
  judgement.message = json.value("message", "");
  judgement.line = json.value("line", uint32_t{0});
  judgement.states = json.value("states", uint64_t{0});
  judgement.seconds = json.value("seconds", 0.0);
  judgement.run = json.value("run", std::vector<std::string>{});
  judgement.run_of_model = json.value("run_of_model", false);
  return judgement;
}

Result<Judge> Judge::make(const LoadedModel& model, CheckRequest request) {
  Judge judge(model, small(std::move(request)));
  if (const Status measured = judge.measure(); !measured.ok()) return Error{measured.error()};
  return judge;
}

// One search for each property. None is asked for by default: those that the text states.
Status Judge::measure() {
  CheckObserver nobody;
  const Result<std::unique_ptr<Check>> all = Check::make(model_, request_, nobody);
  if (!all.ok()) return Error{all.error()};
  for (const PropertyEntry& entry : all.value()->entries()) {
    CheckRequest request = request_;
    request.properties = {entry.name};
    Result<std::unique_ptr<Check>> check = Check::make(model_, request, nobody);
    if (!check.ok()) return Error{check.error()};
    const CheckOutcome outcome = check.value()->run(false);
    const PropertyResult& found = outcome.properties.front();
    if (request_.interrupted()) return Error{"interrupted"};
    switch (found.result.verdict()) {
      case cmc::Verdict::kHolds:
        baseline_.properties.push_back({entry.name, found.result.states_stored, found.result.wall_seconds});
        if (entry.kind == PropertyKind::kSafety)
          baseline_.unreached = unreached_statements(*found.product, found.result.locations);
        break;
      case cmc::Verdict::kViolated:
        baseline_.left_out.push_back(fmt::format("{} is violated by the model itself", entry.name));
        break;
      case cmc::Verdict::kIncomplete:
        baseline_.undecided = true;
        baseline_.left_out.push_back(fmt::format("{} was not decided: {}", entry.name,
                                                 found.result.reasons.empty() ? "" : found.result.reasons[0].text));
        break;
    }
  }
  return Success{};
}

double Judge::most_seconds() const {
  double seconds = 0;
  for (const Baseline::Property& each : baseline_.properties) seconds += each.seconds * kFactor + kSpareSeconds;
  return seconds;
}

Judgement Judge::judge(const Mutant& mutant) const {
  const SystemClock clock;
  const double start = clock.wall_seconds();
  Judgement judgement;
  promela::Sources sources;
  const std::string text = mutated_text(model_.sources.text(mutant.range.file), mutant);
  if (mutant.range.file > 0) sources.replace(model_.sources.name(mutant.range.file), text);
  const uint32_t file = sources.add(model_.file, mutant.range.file > 0 ? std::string(model_.sources.text(0)) : text);
  std::string messages;
  const ErrorListener first_error = [&](const std::string&, uint32_t line, const std::string& message) {
    if (judgement.message.empty()) judgement.message = message, judgement.line = line;
  };
  const std::optional<LoadedModel> loaded =
      compile_model(model_.request, std::move(sources), file, messages, false, first_error);
  if (!loaded) {
    judgement.verdict = Verdict::kInvalid;
    return judgement;
  }
  judgement.verdict = Verdict::kSurvived;
  for (const Baseline::Property& each : baseline_.properties) {
    if (!mutant.property.empty() && each.name != mutant.property) continue;
    search(*loaded, each, judgement);
    if (judgement.verdict == Verdict::kKilled || judgement.verdict == Verdict::kInvalid) break;
  }
  if (judgement.verdict == Verdict::kSurvived && mutant.property.empty()) explain(mutant, *loaded, judgement);
  judgement.seconds = clock.wall_seconds() - start;
  return judgement;
}

void Judge::search(const LoadedModel& mutant, const Baseline::Property& property, Judgement& judgement) const {
  CheckRequest request = request_;
  request.properties = {property.name};
  request.state_limit = property.states * kFactor + kSpareStates;
  const double seconds = property.seconds * kFactor + kSpareSeconds;
  request.time_seconds = request.time_seconds > 0 ? std::min(request.time_seconds, seconds) : seconds;
  CheckObserver nobody;
  const Result<std::unique_ptr<Check>> check = Check::make(mutant, request, nobody);
  if (!check.ok()) {
    judgement.verdict = Verdict::kInvalid;
    judgement.message = check.error();
    return;
  }
  const CheckOutcome outcome = check.value()->run(false);
  const SearchResult& result = outcome.properties.front().result;
  judgement.states += result.states_stored;
  switch (result.verdict()) {
    case cmc::Verdict::kHolds: break;
    case cmc::Verdict::kViolated:
      judgement.verdict = Verdict::kKilled;
      judgement.property = property.name;
      judgement.message = result.errors.empty() ? "" : result.errors.front().message;
      judgement.line = result.errors.empty() ? 0 : result.errors.front().place.line;
      break;
    case cmc::Verdict::kIncomplete:
      judgement.verdict = request_.interrupted() ? Verdict::kNotRun : Verdict::kBudget;
      judgement.message = result.reasons.empty() ? "" : result.reasons.front().text;
      break;
  }
}

// Why nobody noticed.
void Judge::explain(const Mutant& mutant, const LoadedModel& loaded, Judgement& judgement) const {
  if (mutant.statement.line > 0 && baseline_.unreached.contains(mutant.statement)) {
    judgement.verdict = Verdict::kUnreachable;
    return;
  }
  if (!can_be_compared(model_.model) || !can_be_compared(loaded.model)) {
    judgement.message = "not compared with the model: it has guards for a solver, C code, or pc_value";
    return;
  }
  const Comparison found = compare(model_.model, loaded.model, {});
  using Outcome = Comparison::Outcome;
  switch (found.outcome) {
    case Outcome::kEqual: judgement.verdict = Verdict::kEqual; return;
    case Outcome::kMore: judgement.message = "no property forbids what only the mutant does"; break;
    case Outcome::kLess: judgement.message = "no property asks for what the mutant no longer does"; break;
    case Outcome::kSameRuns: judgement.message = "the same runs, but choices are made at other times"; break;
    case Outcome::kUndecided: judgement.message = "too large to be compared with the model"; break;
  }
  if (assigns_unread(model_.model, mutant.statement)) judgement.message = "nothing reads what is assigned there";
  judgement.run_of_model = found.outcome == Outcome::kLess;
  judgement.run = run_texts(judgement.run_of_model ? model_.model : loaded.model, found.run);
}

}  // namespace cmc::mutate
