#include "checker/conform/seen_values.h"

#include "checker/reference/reference.h"
#include "checker/reference/state.h"
#include "checker/trace/operands.h"
#include "checker/trace/places.h"
#include "ir/scalar.h"

namespace cmc::conform {
namespace {

void see_message(const Model& model, ByteView before, ByteView after, const Step& step, Seen& seen) {
  const Statement& statement = *seen.statement;
  const std::optional<int32_t> id = value_of(model, before, step.pid, statement.channel);
  const std::optional<ChannelPlace> place = id ? find_channel(model, before, *id) : std::nullopt;
  if (!place) return;
  const ChannelType& type = *place->type;
  if (type.rendezvous()) {
    const auto values = evaluate_expressions(model, before, step.pid, statement.operands);
    if (!values || statement.kind != StatementKind::kSend) return;
    for (size_t i = 0; i < type.fields.size(); ++i)
      seen.values.push_back(i < values->size() ? truncate(type.fields[i], (*values)[i]) : 0);
  } else {
    const size_t index = static_cast<size_t>(*id) - 1;
    const auto had = reference::decode(model, before).channels[index].messages;
    const auto has = reference::decode(model, after).channels[index].messages;
    if (had.size() < has.size()) {
      seen.values = extra_message(has, had);
    } else if (had.size() > has.size()) {
      seen.values = extra_message(had, has);
    } else if (statement.poll && !statement.flag && !had.empty()) {
      seen.values = had.front();  // it stays there
    } else {
      return;
    }
  }
  seen.kind = statement.kind == StatementKind::kSend ? RuleText::Kind::kSend : RuleText::Kind::kReceive;
  seen.target = *id;
  seen.types = type.fields;
}

void see_assignment(const Model& model, ByteView before, ByteView after, const Step& step, Seen& seen) {
  const VariableReference& target = seen.statement->target;
  const std::optional<uint32_t> offset = offset_of(model, target, before, step.pid);
  if (!offset || seen.statement->discard_target) return;
  const size_t base = target.space == Space::kGlobal ? 0 : frame_offset(model, after, step.pid);
  seen.kind = RuleText::Kind::kAssign;
  seen.space = target.space;
  seen.target = static_cast<int32_t>(*offset);
  seen.values = {load_scalar(target.type, after.data() + base + *offset)};
  seen.types = {target.type};
}

}  // namespace

void see_values(const Model& model, ByteView before, ByteView after, const Step& step, Seen& seen) {
  switch (seen.statement->kind) {
    case StatementKind::kSend:
    case StatementKind::kReceive: return see_message(model, before, after, step, seen);
    case StatementKind::kAssign: return see_assignment(model, before, after, step, seen);
    case StatementKind::kPrintf: {
      const auto values = evaluate_expressions(model, before, step.pid, seen.statement->operands);
      if (!values) return;
      seen.kind = RuleText::Kind::kPrint;
      seen.values = *values;
      return;
    }
    default: return;
  }
}

}  // namespace cmc::conform
