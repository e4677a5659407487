#include "checker/trace/step_text.h"

#include <fmt/format.h>

#include "base/check.h"
#include "ir/print.h"

namespace cmc {
namespace {

StepText::Actor describe_actor(const Model& model, ByteView state, uint8_t pid, LocationId location, uint16_t index) {
  const Edge* edge = find_edge(model, state, pid, location, index);
  CHECK(edge != nullptr);
  const Statement& statement = model.statements[edge->statement];
  StepText::Actor actor;
  actor.pid = pid;
  actor.process = find_proctype(model, state, pid)->name;
  actor.file = file_of(model, statement.place);
  actor.line = statement.place.line;
  actor.text = statement.text;
  return actor;
}

}  // namespace

const Proctype* find_proctype(const Model& model, ByteView state, uint8_t pid) {
  if (pid == kNoProcess) return model.claim.exists() ? &model.claims[model.claim.claim] : nullptr;
  const auto count = load<uint8_t>(state.data() + model.process_count_offset());
  if (pid >= count) return nullptr;
  size_t offset = model.global_bytes;
  for (uint8_t i = 0;; ++i) {
    const Proctype& proctype = model.proctypes[load<uint8_t>(state.data() + offset + kFrameProctype)];
    if (i == pid) return &proctype;
    offset += proctype.frame_bytes;
  }
}

const Edge* find_edge(const Model& model, ByteView state, uint8_t pid, LocationId location, uint16_t edge) {
  const Proctype* proctype = find_proctype(model, state, pid);
  if (proctype == nullptr || location >= proctype->locations.size()) return nullptr;
  const std::vector<Edge>& edges = proctype->locations[location].edges;
  return edge < edges.size() ? &edges[edge] : nullptr;
}

StepText describe_step(const Model& model, ByteView state, const Step& step) {
  StepText text;
  text.actor = describe_actor(model, state, step.pid, step.location, step.edge);
  if (step.partner != kNoProcess) {
    text.partner = describe_actor(model, state, step.partner, step.partner_location, step.partner_edge);
  }
  text.timeout = step.timeout;
  return text;
}

std::string process_label(const StepText::Actor& actor) {
  return actor.pid == kNoProcess ? actor.process : fmt::format("{}[{}]", actor.process, actor.pid);
}

}  // namespace cmc
