#include "checker/session/expression.h"

#include <algorithm>

#include <fmt/format.h>

#include "checker/trace/operands.h"
#include "checker/trace/places.h"
#include "checker/trace/step_text.h"
#include "ir/state_printer.h"

namespace cmc::session {
namespace {

// States of one are states of the other. (A label of a jump becomes a location when somebody asks for it.)
bool same_states(const Model& a, const Model& b) {
  return a.global_bytes == b.global_bytes &&
         std::ranges::equal(a.proctypes, b.proctypes, [](const Proctype& one, const Proctype& other) {
           return one.frame_bytes == other.frame_bytes && one.locations.size() == other.locations.size();
         });
}

}  // namespace

std::optional<int32_t> Expression::value(ByteView state, uint8_t pid) const {
  if (proctype.empty()) return value_of(*model, state, kNoProcess, id);
  const Proctype* const type = find_proctype(*model, state, pid);
  if (type == nullptr || type->name != proctype) return std::nullopt;
  return value_of(*model, state, pid, id);
}

std::optional<std::string> Expression::text(ByteView state, uint8_t pid) const {
  const std::optional<int32_t> number = value(state, pid);
  if (!number) return std::nullopt;
  const cmc::Expression& expression = model->expressions[id];
  if (expression.op != Operator::kVariable && expression.op != Operator::kRemoteVariable)
    return std::to_string(*number);
  if (expression.reference.type.basic == BasicType::kChan) {
    const std::optional<ChannelPlace> channel = find_channel(*model, state, *number);
    return channel ? channel->name : "none";
  }
  return value_text(*model, expression.reference.type, *number);
}

Result<Expression> ExpressionReader::read(const std::string& text, const std::string& proctype) {
  const std::pair key(text, proctype);
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  if (known_.size() == kMostKept) known_.clear();
  return known_.emplace(key, compile(text, proctype)).first->second;
}

Result<Expression> ExpressionReader::compile(const std::string& text, const std::string& proctype) const {
  promela::Sources sources;  // as they were when the model was read
  for (uint32_t file = 0; file < loaded_.sources.file_count(); ++file)
    sources.provide(loaded_.sources.name(file), std::string(loaded_.sources.text(file)));
  CMC_TRY(const uint32_t main, sources.load(loaded_.file));
  promela::CompileOptions options = compile_options(loaded_.request);
  options.formulas.push_back({"", text, proctype});
  options.validate = false;  // no process has this expression
  promela::Diagnostics diagnostics(sources);
  std::optional<Model> model = promela::compile(sources, main, options, diagnostics);
  for (const promela::Diagnostic& each : diagnostics.all()) {
    if (each.severity == promela::Severity::kError) return Error{fmt::format("'{}': {}", text, each.message)};
  }
  if (!model || !same_states(*model, loaded_.model))
    return Error{fmt::format("'{}': this label can only be asked for if the model itself does so", text)};
  const auto formula = std::ranges::find_if(model->properties.rbegin(), model->properties.rend(),
                                            [](const auto& each) { return each.kind == Property::Kind::kLtl; });
  Expression expression;
  expression.proctype = proctype;
  expression.id = model->formulas[formula->formula].atom;
  expression.model = std::make_shared<const Model>(std::move(*model));
  return expression;
}

}  // namespace cmc::session
