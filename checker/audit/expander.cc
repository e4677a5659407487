#include "checker/audit/expander.h"

#include <fmt/format.h>

#include "base/failed_check.h"
#include "ir/print.h"
#include "ir/state_printer.h"

namespace cmc::audit {
Expander::Expander(const Task& task, const StateVectors& vectors, const PanOracle* oracle)
    : task_(task),
      vectors_(vectors),
      interpreter_(make_reference_generator(task.model, nullptr, task.steps)),
      oracle_(oracle == nullptr ? nullptr : oracle->start()) {}

Verdict Expander::initial(uint64_t* key) {
  interpreter_->initial(batch_);
  if (Verdict refusal = errors()) return refusal;
  if (batch_.entries.empty()) return refused("C3", "the model has no initial state");
  uint16_t missing = 0;
  if (vectors_.pack(batch_.state(batch_.entries.front()), state_, key, missing)) return std::nullopt;
  return refused("C1", fmt::format("the initial state is not there: {} has another content", vectors_.name(missing)));
}

Verdict Expander::begin(const uint64_t* key) {
  if (const char* const why = vectors_.unpack(key, state_); why != nullptr)
    return refused("A", fmt::format("the key {:016x}... is that of no state: {}", key[0], why));
  batch_.clear();
  // A vector that is no state of the model can be anything, and the interpreter relies on more than unpack() checks.
  const std::string failure =
      failed_check_in([&] { (oracle_ ? *oracle_ : *interpreter_).successors(state_.vector, batch_); });
  if (!failure.empty())
    return refused("A", fmt::format("the interpreter cannot take a state: {}\n{}", failure, state_text()));
  return errors();
}

Verdict Expander::errors() const {
  const Model& model = task_.model;
  for (const RuntimeError& error : batch_.errors) {
    if (error.kind == RuntimeErrorKind::kOverflowNote) continue;
    const std::string text = fmt::format("{}{}\n{}{}", place_text(model, error.place, "", ": "), error.message,
                                         state_text(), steps_text(batch_.path(error)));
    const bool is_undecided = error.kind == RuntimeErrorKind::kUndecidedGuard;
    return is_undecided ? Refusal{Refusal::Kind::kIncomplete, "", text} : refused("C3", text);
  }
  if (batch_.invalid_end && task_.checks_end_states)
    return refused("C3", "a state is an invalid end state\n" + state_text());
  if (!batch_.stopped && !batch_.long_atomic) return std::nullopt;
  return Refusal{Refusal::Kind::kIncomplete, "",
                 "the interpreter does not follow an atomic sequence as far as it goes\n" + state_text()};
}

Verdict Expander::pack(size_t number) {
  uint16_t missing = 0;
  if (vectors_.pack(batch_.state(batch_.entries[number]), state_, key_.data(), missing)) return std::nullopt;
  Refusal refusal = not_there(number);
  refusal.text += fmt::format("\n  whose {} has a content that is in no state", vectors_.name(missing));
  return refusal;
}

Refusal Expander::not_there(size_t number) const {
  return refused(
      "C2", "a successor of a state is not there\n" + state_text() + steps_text(batch_.path(batch_.entries[number])));
}

std::string Expander::describe(const uint64_t* key) {
  const char* const why = vectors_.unpack(key, state_);
  return why == nullptr ? state_text() : std::string(why);
}

std::string Expander::state_text() const {
  if (state_.shape == nullptr) return "  before the first state\n";
  const StateImage image = decode_state(task_.model, state_.vector);
  std::string text = "  state:";
  for (const NamedValue& value : image.globals) text += fmt::format(" {}={}", value.name, value.value);
  for (const ChannelImage& channel : image.channels)
    text += fmt::format(" {}=[{}]", channel.name, fmt::join(channel.messages, "; "));
  for (const ProcessImage& process : image.processes) {
    text += fmt::format("\n  {}[{}] at line {}:", process.proctype, process.pid, process.place.line);
    for (const NamedValue& value : process.locals) text += fmt::format(" {}={}", value.name, value.value);
  }
  return text + "\n";
}

std::string Expander::steps_text(std::span<const Step> steps) const {
  const Model& model = task_.model;
  std::string text = "  step:";
  for (const Step& step : steps) {
    // Who moves is the proctype that has the edge there.
    const auto add = [&](uint8_t pid, LocationId location, uint16_t edge) {
      if (state_.shape == nullptr || pid >= state_.shape->frames.size()) return;
      const std::byte* const frame = state_.vector.data() + state_.shape->frames[pid];
      const Proctype& type = model.proctypes[load<ProctypeId>(frame + kFrameProctype)];
      if (location >= type.locations.size() || edge >= type.locations[location].edges.size()) return;
      const StatementId statement = type.locations[location].edges[edge].statement;
      text +=
          fmt::format(" {}[{}] {}{};", type.name, pid, place_text(model, model.statements[statement].place, "", ": "),
                      statement_text(model, &type, statement));
    };
    add(step.pid, step.location, step.edge);
    if (step.partner != kNoProcess) add(step.partner, step.partner_location, step.partner_edge);
  }
  return text + "\n";
}

}  // namespace cmc::audit
