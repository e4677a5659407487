#include <fmt/format.h>

#include "checker/api/content.h"
#include "checker/check/search.h"
#include "checker/plain/simulate.h"
#include "checker/trace/step_text.h"
#include "ir/state_printer.h"

namespace cmc::api {
namespace {

Action action_of(const StepText::Actor& actor) {
  return {actor.pid, actor.process, actor.text, {actor.file, actor.line}};
}

std::string messages_of(const std::vector<RuntimeError>& errors) {
  std::string text;
  for (const RuntimeError& error : errors) text += (text.empty() ? "" : "; ") + error.message;
  return text;
}

}  // namespace

Step step_of(const cmc::Model& model, ByteView state, const cmc::Step& step) {
  const StepText text = describe_step(model, state, step);
  Step result{action_of(text.actor), std::nullopt};
  if (text.partner) result.receiver = action_of(*text.partner);
  return result;
}

std::vector<Value> values_of(const cmc::Model& model, ByteView state) {
  const StateImage image = decode_state(model, state);
  std::vector<Value> values;
  for (const NamedValue& global : image.globals) values.push_back({global.name, global.value});
  for (const ProcessImage& process : image.processes) {
    for (const NamedValue& local : process.locals)
      values.push_back({fmt::format("{}[{}].{}", process.proctype, process.pid, local.name), local.value});
  }
  for (const ChannelImage& channel : image.channels)
    values.push_back({channel.name, fmt::format("[{}]", fmt::join(channel.messages, " | "))});
  return values;
}

// The model is that of `shared`, which the generator refers to.
struct Run::Content {
  std::shared_ptr<const Model::Content> shared;
  Decider decider;
  std::unique_ptr<SuccessorGenerator> generator;
  Bytes state;
  SuccessorBatch batch;
  std::vector<Choice> possible;
  std::vector<Step> choices;

  [[nodiscard]] const cmc::Model& model() const { return shared->loaded.model; }

  // Computes what can happen in `state`. Error: the state itself has one.
  Result<std::monostate> expand() {
    batch.clear();
    generator->successors(state, batch);
    possible = choices_of(batch);
    choices.clear();
    for (const Choice& each : possible) choices.push_back(step_of(model(), state, each.step));
    const std::vector<RuntimeError> errors = errors_of_state(batch);
    if (!errors.empty()) return Error{messages_of(errors)};
    return std::monostate();
  }
};

Result<Run> Model::start() const {
  auto run = std::make_unique<Run::Content>();
  run->shared = content_;
  cmc::Result<Decider> decider = make_decider(content_->request, run->model());
  if (!decider.ok()) return Error{decider.error()};
  run->decider = std::move(decider).value();
  run->generator = make_statement_generator(content_->request, run->model(), run->decider.get());
  run->generator->initial(run->batch);
  if (!run->batch.errors.empty() || run->batch.entries.empty())
    return Error{"there is no initial state: " + messages_of(run->batch.errors)};
  const ByteView initial = run->batch.state(run->batch.entries.front());
  run->state.assign(initial.begin(), initial.end());
  const Result<std::monostate> expanded = run->expand();
  if (!expanded.ok()) return Error{expanded.error()};
  return Run(std::move(run));
}

Run::Run(std::unique_ptr<Content> content) : content_(std::move(content)) {}
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;
Run::~Run() = default;

const std::vector<Step>& Run::choices() const { return content_->choices; }

bool Run::is_stuck() const { return content_->batch.invalid_end; }

std::vector<Value> Run::values() const { return values_of(content_->model(), content_->state); }

Result<std::monostate> Run::take(std::size_t choice) {
  if (choice >= content_->possible.size())
    return Error{fmt::format("there is no choice {}; there are {}", choice, content_->possible.size())};
  const Choice& chosen = content_->possible[choice];
  const std::string errors = messages_of(chosen.errors);
  if (!chosen.after.empty()) {
    content_->state = Bytes(chosen.after.begin(), chosen.after.end());
    const Result<std::monostate> expanded = content_->expand();
    if (!expanded.ok()) return Error{expanded.error()};
  }
  if (!errors.empty()) return Error{errors};
  return std::monostate();
}

}  // namespace cmc::api
