#include "promela/lower/lower.h"

#include <fmt/format.h>

#include "base/check.h"
#include "promela/lower/lowering.h"

namespace cmc::promela {

using ast::ExpressionKind;
using FlowKind = FlowElement::Kind;

Lowering::Lowering(const ast::Program& program, const Analysis& analysis, const Sources& sources, bool like_java,
                   Diagnostics& diagnostics)
    : program_(program),
      analysis_(analysis),
      sources_(sources),
      like_java_(like_java),
      diagnostics_(diagnostics),
      emit_(model_, {[this](const std::string& name) { return proctype_id(name); },
                     [this](const std::string& proctype, const std::string& label) {
                       return label_state(proctype, label);
                     }}) {}

Model Lowering::run() {
  describe_names();
  number_proctypes();
  build_control_flow();
  if (diagnostics_.error_count() > 0) return std::move(model_);
  lower_globals();
  for (size_t i = 0; i < running_.size(); ++i) {
    model_.proctypes.push_back(lower_proctype(*running_[i], *flows_[i]));
  }
  activate();
  lower_claims();
  lower_formulas();
  collect_properties();
  warn_of_accept_labels();
  return std::move(model_);
}

void Lowering::describe_names() {
  for (size_t i = 0; i < sources_.file_count(); ++i) model_.files.push_back(sources_.name(static_cast<uint32_t>(i)));
  for (const MtypeSet& set : analysis_.mtype_sets) {
    model_.mtype_sets.push_back(set.values);
    model_.mtype_set_names.push_back(set.name);
  }
  model_.uses_priority = analysis_.uses_priority;
  model_.uses_last = analysis_.uses_last;
  model_.uses_timeout = analysis_.uses_timeout;
  model_.has_rendezvous = analysis_.has_rendezvous;
  model_.escapes_like_java = like_java_;
}

void Lowering::number_proctypes() {
  for (const auto& proctype : analysis_.proctypes) {
    if (!proctype->runs()) continue;
    if (running_.size() == 255) {
      error(proctype->syntax->location, "more than 255 proctypes");
      return;
    }
    ids_.emplace(proctype->syntax->name, static_cast<ProctypeId>(running_.size()));
    running_.push_back(proctype.get());
  }
}

ProctypeId Lowering::proctype_id(const std::string& name) const {
  const auto found = ids_.find(name);
  return found == ids_.end() ? ProctypeId{0} : found->second;
}

int Lowering::label_state(const std::string& proctype, const std::string& label) const {
  return flows_[proctype_id(proctype)]->label_state(label);
}

void Lowering::build_control_flow() {
  for (const AnalysedProctype* proctype : running_)
    flows_.push_back(std::make_unique<ControlFlow>(*proctype, sources_, diagnostics_));
  for (const auto& proctype : analysis_.proctypes) {
    if (!proctype->runs()) claim_flows_.push_back(std::make_unique<ControlFlow>(*proctype, sources_, diagnostics_));
  }
  prepare_remote_labels();
  if (diagnostics_.error_count() > 0) return;
  for (auto& flow : flows_) flow->generate(like_java_);
  for (auto& claim : claim_flows_) claim->generate(like_java_);
  number_elements();
}

// As SPIN does, in the order of the text.
void Lowering::number_elements() {
  uint32_t next = 0;
  size_t running = 0;
  size_t claims = 0;
  for (const auto& proctype : analysis_.proctypes) {
    ControlFlow& flow = proctype->runs() ? *flows_[running++] : *claim_flows_[claims++];
    flow.set_first_element(next);
    next += flow.element_count();
  }
}

void Lowering::prepare_remote_labels() {
  for (const ast::Expression* remote : analysis_.remote_labels) {
    const ProctypeId id = proctype_id(remote->name);
    if (!flows_[id]->prepare_remote_label(remote->label)) {
      std::vector<std::string_view> labels;
      for (const LabelSymbol& label : running_[id]->labels) labels.push_back(label.name);
      error(remote->location, fmt::format("proctype '{}' has no label '{}'{}", remote->name, remote->label,
                                          diagnostics_.suggestion(remote->label, labels)));
    } else if (flows_[id]->label_in_d_step(remote->label)) {
      diagnostics_.warning(
          remote->location,
          fmt::format("label '{}' is inside a d_step, where no process is ever seen: this is always 0",
                      remote->label));
    }
  }
}

Proctype Lowering::lower_proctype(const AnalysedProctype& source, ControlFlow& flow) {
  DCHECK(source.frame_bytes >= kFrameHeaderBytes);
  Proctype proctype;
  proctype.name = source.syntax->name;
  proctype.place = source.syntax->location.place;
  proctype.is_init = source.syntax->kind == ast::Proctype::Kind::kInit;
  proctype.deterministic = source.syntax->deterministic;
  std::map<std::string_view, size_t> uses;
  for (const Symbol* symbol : source.variables) ++uses[symbol->name];
  for (const Symbol* symbol : source.variables) {
    describe(*symbol, uses[symbol->name] > 1 ? distinction(*symbol) : "", proctype.variables);
    if (symbol->parameter) {
      for (VariableReference& parameter : emit_.flatten(*symbol)) proctype.parameters.push_back(std::move(parameter));
    } else {
      initialise(*symbol, {&proctype.initializers, &proctype.channels});
    }
  }
  proctype.frame_bytes = place_channels(proctype.channels, source.frame_bytes, source.syntax->location);
  if (source.syntax->provided) proctype.provided = emit_.lower(*source.syntax->provided);
  lower_states(flow, proctype);
  return proctype;
}

void Lowering::lower_states(ControlFlow& flow, Proctype& proctype) {
  const std::vector<FlowState>& states = flow.states();
  if (states.size() > 65535) {
    diagnostics_.error({proctype.place, 0}, fmt::format("proctype '{}' has more than 65534 states", proctype.name));
    return;
  }
  std::map<const FlowElement*, StatementId> statements;
  proctype.locations.resize(states.size());
  proctype.start = static_cast<LocationId>(flow.start());
  proctype.end = static_cast<LocationId>(flow.end());
  proctype.first_element = flow.first_element();
  for (size_t number = 1; number < states.size(); ++number) {
    const FlowState& state = states[number];
    ::cmc::Location& location = proctype.locations[number];
    location.labels = state.labels;
    location.valid_end = state.valid_end;
    location.accepting = state.accepting;
    location.progress = state.progress;
    if (state.element != nullptr) {
      location.place = state.element->location.place;
      location.text = element_text(*state.element);
      location.generic = is_generic(*state.element);
    }
    for (const FlowTransition& transition : state.transitions) {
      auto [known, is_new] = statements.try_emplace(transition.element, kNoStatement);
      if (is_new) known->second = lower_element(flow, *transition.element);
      Edge edge;
      edge.statement = known->second;
      DCHECK(transition.target >= 0 && static_cast<size_t>(transition.target) < states.size());
      edge.target = static_cast<LocationId>(transition.target);
      edge.escape = static_cast<LocationId>(transition.escape);
      edge.element = proctype.first_element + static_cast<uint32_t>(transition.number) - 1;
      edge.atomic = transition.atomic;
      location.edges.push_back(edge);
    }
  }
}

std::string Lowering::element_text(const FlowElement& element) {
  switch (element.kind) {
    case FlowKind::kEnd: return "-end-";
    case FlowKind::kTarget: return ".(goto)";
    case FlowKind::kBreakTarget: return "break";
    case FlowKind::kGoto:
      return element.loop >= 0 ? "break" : element.statement != nullptr ? statement_text(*element.statement) : "goto";
    case FlowKind::kBlock: return "{...}";
    default: return element.statement != nullptr ? statement_text(*element.statement) : "";
  }
}

bool Lowering::is_generic(const FlowElement& element) {
  switch (element.kind) {
    case FlowKind::kStatement:
      return element.statement != nullptr && element.statement->kind == ast::StatementKind::kExpression &&
             element.statement->expression->kind == ExpressionKind::kNumber &&
             element.statement->expression->value == 1;
    case FlowKind::kEnd:
    case FlowKind::kDStep: return false;
    default: return true;
  }
}

StatementId Lowering::lower_element(ControlFlow& flow, const FlowElement& element) {
  Statement statement;
  statement.place = element.location.place;
  switch (element.kind) {
    case FlowKind::kStatement:
      if (!element.no_operation) return emit_.lower(*element.statement);
      statement.text = statement_text(*element.statement);
      break;
    case FlowKind::kElse:
      statement.kind = StatementKind::kElse;
      statement.text = "else";
      break;
    case FlowKind::kEnd:
      statement.kind = StatementKind::kEndProcess;
      statement.text = "-end-";
      break;
    case FlowKind::kDStep: return lower_d_step(flow, element);
    default: statement.text = element_text(element); break;
  }
  return emit_.add(std::move(statement));
}

void Lowering::activate() {
  for (size_t id = 0; id < running_.size(); ++id) {
    const ast::Proctype& syntax = *running_[id]->syntax;
    for (int32_t i = 0; i < syntax.instances; ++i) {
      if (model_.active.size() == kMaxProcesses) {
        error(syntax.location, "more than 255 processes at the start");
        return;
      }
      model_.active.push_back(
          {static_cast<ProctypeId>(id), static_cast<uint8_t>(syntax.priority > 0 ? syntax.priority : 1)});
    }
  }
  if (model_.active.empty()) {
    diagnostics_.error({{0, 1, 1}, 0}, "no process runs: there is no init and no active proctype");
  }
}

Model lower(const ast::Program& program, const Analysis& analysis, const Sources& sources, bool escapes_like_java,
            Diagnostics& diagnostics) {
  return Lowering(program, analysis, sources, escapes_like_java, diagnostics).run();
}

}  // namespace cmc::promela
