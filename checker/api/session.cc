#include "checker/session/session.h"

#include <fmt/format.h>

#include "base/memory_limit.h"
#include "checker/api/content.h"
#include "checker/check/decider.h"
#include "checker/check/search.h"
#include "checker/session/find.h"
#include "checker/trace/step_text.h"
#include "ir/state_printer.h"

namespace cmc::api {
namespace {

Action action_of(const StepText::Actor& actor) {
  return {actor.pid, actor.process, actor.text, {actor.file, actor.line}};
}

Step step_of(const StepText& text) {
  Step result{action_of(text.actor), std::nullopt, {}};
  if (text.partner) result.receiver = action_of(*text.partner);
  return result;
}

}  // namespace

Step step_of(const cmc::Model& model, ByteView state, const cmc::Step& step) {
  return step_of(describe_step(model, state, step));
}

Step step_of(const TraceStep& step) {
  Step result = step_of(step.text);
  result.changes = change_texts(step);
  return result;
}

std::vector<Value> values_of(const cmc::Model& model, ByteView state) {
  const StateImage image = decode_state(model, state);
  std::vector<Value> values;
  for (const NamedValue& global : image.globals) values.push_back({global.name, global.value, {}});
  for (const ProcessImage& process : image.processes) {
    for (const NamedValue& local : process.locals)
      values.push_back({fmt::format("{}[{}].{}", process.proctype, process.pid, local.name), local.value, {}});
  }
  for (const ChannelImage& channel : image.channels)
    values.push_back({channel.name, fmt::format("[{}]", fmt::join(channel.messages, " | ")), channel.messages});
  return values;
}

// Everything refers to the model of `shared`.
struct Session::Content {
  std::shared_ptr<const Model::Content> shared;
  Decider decider;
  std::unique_ptr<SuccessorGenerator> statements;
  std::optional<session::Session> run;

  [[nodiscard]] const LoadedModel& loaded() const { return shared->loaded; }

  // The process's number as the run has it. Error: there is no such process now.
  [[nodiscard]] Result<std::uint8_t> process(std::optional<std::uint32_t> pid) const {
    if (!pid) return kNoProcess;
    if (*pid >= kNoProcess || find_proctype(run->model(), run->state(), static_cast<std::uint8_t>(*pid)) == nullptr)
      return Error{fmt::format("there is no process {} in this state", *pid)};
    return static_cast<std::uint8_t>(*pid);
  }

  struct Read {
    std::uint8_t pid;
    session::Expression expression;
  };
  [[nodiscard]] Result<Read> read(const std::string& text, std::optional<std::uint32_t> pid) {
    const Result<std::uint8_t> process = this->process(pid);
    if (!process.ok()) return Error{process.error()};
    cmc::Result<session::Expression> expression = run->read(text, process.value());
    if (!expression.ok()) return Error{expression.error()};
    return Read{process.value(), std::move(expression).value()};
  }

  [[nodiscard]] Trace trace(std::size_t most_steps) {
    Trace trace = run->trace(most_steps);
    const std::string end = run->end_text();
    trace.outcome = fmt::format("{} (after {} steps)", end.empty() ? "stopped" : end, run->steps());
    trace.explanation = run->explain();
    return trace;
  }
};

Result<Session> Model::start() const {
  auto content = std::make_unique<Session::Content>();
  content->shared = content_;
  cmc::Result<Decider> decider = make_decider(content_->request, content_->loaded.model);
  if (!decider.ok()) return Error{decider.error()};
  content->decider = std::move(decider).value();
  content->statements = make_statement_generator(content_->request, content_->loaded.model, content->decider.get());
  content->run.emplace(content_->loaded, *content->statements, content->decider.get());
  if (content->run->state().empty()) return Error{content->run->end_text()};
  return Session(std::move(content));
}

Session::Session(std::unique_ptr<Content> content) : content_(std::move(content)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

std::uint64_t Session::position() const { return content_->run->position(); }
std::uint64_t Session::length() const { return content_->run->length(); }
std::optional<std::uint64_t> Session::loop_start() const { return content_->run->loop_start(); }

std::vector<Step> Session::choices() const {
  std::vector<Step> steps;
  for (std::size_t i = 0; i < content_->run->choices().size(); ++i)
    steps.push_back(step_of(content_->run->look_at(i).back()));
  return steps;
}

std::vector<Value> Session::values() const { return values_of(content_->run->model(), content_->run->state()); }

bool Session::is_stuck() const { return content_->run->end() == session::Session::End::kInvalidEnd; }

std::string Session::end() const { return content_->run->end_text(); }

std::vector<std::string> Session::why() const { return content_->run->explain().lines; }

Result<std::string> Session::evaluate(const std::string& expression, std::optional<std::uint32_t> pid) const {
  const auto read = content_->read(expression, pid);
  if (!read.ok()) return Error{read.error()};
  const auto text = read.value().expression.text(content_->run->state(), read.value().pid);
  if (!text) return Error{fmt::format("'{}' cannot be evaluated in this state", expression)};
  return *text;
}

Result<std::monostate> Session::take(std::size_t choice) {
  const std::size_t count = content_->run->choices().size();
  if (choice >= count) return Error{fmt::format("there is no choice {}; there are {}", choice, count)};
  content_->run->choose(choice);
  return std::monostate();
}

std::uint64_t Session::run(std::uint64_t steps, std::uint64_t seed, const std::atomic<bool>* stop) {
  session::Session& run = *content_->run;
  session::Random random(seed);
  std::uint64_t taken = 0;
  const auto goes_on = [&] { return taken < steps && (stop == nullptr || !stop->load()); };
  for (; goes_on() && run.end() == session::Session::End::kNone && run.plan(random); ++taken) run.forward();
  return taken;
}

Result<std::monostate> Session::go_to(std::uint64_t position) {
  if (position > length()) return Error{fmt::format("there is no position {}; the last is {}", position, length())};
  content_->run->go_to(position);
  return std::monostate();
}

Result<bool> Session::find(const std::string& expression, std::optional<std::uint32_t> pid, double most_seconds,
                           const std::atomic<bool>* stop) {
  const auto read = content_->read(expression, pid);
  if (!read.ok()) return Error{read.error()};
  Limits limits({default_memory_budget_bytes(), most_seconds, stop});
  const auto found = session::find(*content_->run, read.value().expression, read.value().pid, limits);
  if (!found.ok()) return Error{found.error()};
  using Outcome = session::Found::Outcome;
  if (found.value().outcome == Outcome::kLimit) {
    return Error{fmt::format("'{}' holds in none of the {} states that were looked at: {}", expression,
                             found.value().states, limits.reason())};
  }
  return found.value().outcome == Outcome::kFound;
}

Result<std::monostate> Session::load(const std::string& trail) {
  if (const Status loaded = content_->run->load(trail); !loaded.ok()) return Error{loaded.error()};
  return std::monostate();
}

std::string Session::trace(std::size_t most_steps) const {
  const Trace trace = content_->trace(most_steps);
  const Trace* const one = &trace;
  return json_of(content_->loaded(), content_->run->model(), {&one, 1});
}

std::string Session::page(std::size_t most_steps) const {
  const Trace trace = content_->trace(most_steps);
  const Trace* const one = &trace;
  return page_of(content_->loaded(), content_->run->model(), {&one, 1});
}

}  // namespace cmc::api
