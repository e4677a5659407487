#include "checker/conform/event_map.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "checker/conform/seen_values.h"
#include "checker/report/style/style.h"
#include "checker/trace/operands.h"
#include "checker/trace/places.h"
#include "checker/trace/step_text.h"
#include "ir/effects.h"
#include "ir/scalar.h"
#include "ir/state_printer.h"
#include "promela/compile.h"

namespace cmc::conform {
namespace {

constexpr uint32_t kFieldBytes = 4;
constexpr const char* kFieldPrefix = "cmc_field_";

// The text with names of fields replaced by those of their variables. Parts of structures, labels and strings stay.
std::string with_fields(const std::string& text, const std::vector<std::string>& fields, bool& of_log) {
  std::string result;
  bool in_string = false;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '"') in_string = !in_string;
    if (in_string || !is_word_character(text[i])) {
      result += text[i++];
      continue;
    }
    size_t end = i;
    while (end < text.size() && is_word_character(text[end])) ++end;
    const std::string name = text.substr(i, end - i);
    const size_t last = result.find_last_not_of(' ');
    const bool is_part = last != std::string::npos && (result[last] == '.' || result[last] == '@');
    const bool is_field = !is_part && std::ranges::find(fields, name) != fields.end();
    of_log = of_log || is_field;
    result += is_field ? kFieldPrefix + name : name;
    i = end;
  }
  return result;
}

std::string nearest(std::string_view what, const std::string& name, const std::vector<std::string_view>& names) {
  return fmt::format("the model has no {} '{}'{}", what, printable(name), promela::did_you_mean(name, names));
}

// The terms of a rule in the order in which they are compiled.
template <class AnyRule, class Visit>
void for_each_term(AnyRule& rule, Visit visit) {
  if (rule.pid) visit(*rule.pid);
  if (rule.target) visit(*rule.target);
  for (auto& each : rule.arguments) {
    if (each) visit(*each);
  }
  for (auto& each : rule.where) visit(each);
}

Result<int32_t> proctype_of(const Model& model, const RuleText& text) {
  if (text.proctype.empty()) return -1;
  std::vector<std::string_view> names;
  for (const Proctype& each : model.proctypes) names.push_back(each.name);
  const auto found = std::ranges::find(names, text.proctype);
  if (found == names.end()) return error_at(text.place, nearest("process type", text.proctype, names));
  const auto number = static_cast<int32_t>(found - names.begin());
  if (text.label.empty()) return number;
  std::vector<std::string_view> labels;
  for (const Location& location : model.proctypes[static_cast<size_t>(number)].locations)
    labels.insert(labels.end(), location.labels.begin(), location.labels.end());
  if (std::ranges::find(labels, text.label) != labels.end()) return number;
  return error_at(text.place, nearest("label", text.label, labels));
}

Bytes joined(std::span<const int32_t> values, size_t fields, ByteView state) {
  Bytes bytes(fields * kFieldBytes);
  for (size_t i = 0; i < values.size(); ++i) store(bytes.data() + i * kFieldBytes, values[i]);
  bytes.insert(bytes.end(), state.begin(), state.end());
  return bytes;
}

}  // namespace

std::optional<uint32_t> offset_of(const Model& model, const VariableReference& reference, ByteView state,
                                  uint8_t pid) {
  uint32_t offset = reference.offset;
  for (const VariableReference::Index& each : reference.indices) {
    const std::optional<int32_t> index = value_of(model, state, pid, each.expression);
    if (!index || *index < 0 || static_cast<uint32_t>(*index) >= each.count) return std::nullopt;
    offset += static_cast<uint32_t>(*index) * each.stride;
  }
  return offset;
}

Result<EventMap> EventMap::make(const LoadedModel& loaded, MapText text) {
  EventMap map(loaded.model);
  map.text_ = std::move(text);
  for (const RuleText& each : map.text_.rules) {
    Rule rule;
    rule.text = each;
    const Result<int32_t> proctype = proctype_of(loaded.model, each);
    if (!proctype.ok()) return Error{proctype.error()};
    rule.proctype = proctype.value();
    for (const std::string& field : each.fields) {
      const auto found = std::ranges::find(map.fields_, field);
      rule.fields.push_back(static_cast<uint32_t>(found - map.fields_.begin()));
      if (found == map.fields_.end()) map.fields_.push_back(field);
    }
    const auto term = [&](const std::string& written) {
      Term made;
      made.text = written;
      const auto field = std::ranges::find(each.fields, written);
      if (field != each.fields.end())
        made.field = static_cast<int32_t>(rule.fields[static_cast<size_t>(field - each.fields.begin())]);
      return made;
    };
    if (!each.pid.empty()) rule.pid = term(each.pid);
    if (!each.target.empty() && each.kind != RuleText::Kind::kPrint) rule.target = term(each.target);
    for (const std::string& argument : each.arguments)
      rule.arguments.push_back(argument == "_" ? std::nullopt : std::optional(term(argument)));
    for (const std::string& condition : each.where) rule.where.push_back(term(condition));
    map.rules_.push_back(std::move(rule));
  }
  const Status compiled = map.compile(loaded);
  if (!compiled.ok()) return Error{compiled.error()};
  return map;
}

Status EventMap::compile(const LoadedModel& loaded) {
  std::string declarations;
  for (const std::string& each : fields_) declarations += fmt::format("hidden int {}{}; ", kFieldPrefix, each);
  const auto compiled = [&](std::vector<promela::AppendedFormula> formulas, std::string& message) {
    promela::Sources sources;
    for (uint32_t file = 0; file < loaded.sources.file_count(); ++file) {
      std::string text(loaded.sources.text(file));
      if (loaded.sources.name(file) == loaded.file) text = declarations + "\n" + text;
      sources.provide(loaded.sources.name(file), std::move(text));
    }
    const Result<uint32_t> main = sources.load(loaded.file);
    promela::CompileOptions options = compile_options(loaded.request);
    options.formulas.insert(options.formulas.end(), formulas.begin(), formulas.end());
    options.validate = false;  // no process has these expressions
    promela::Diagnostics diagnostics(sources);
    std::optional<Model> model;
    if (main.ok()) model = promela::compile(sources, main.value(), options, diagnostics);
    for (const promela::Diagnostic& each : diagnostics.all()) {
      if (message.empty() && each.severity == promela::Severity::kError) message = each.message;
    }
    return model;
  };
  std::vector<promela::AppendedFormula> formulas;
  for (Rule& rule : rules_) {
    for_each_term(rule, [&](Term& term) {
      formulas.push_back({"", with_fields(term.text, rule.text.fields, term.of_log), rule.text.proctype});
    });
  }
  std::string message;
  std::optional<Model> model = compiled(formulas, message);
  if (!model) {  // which one is it?
    size_t next = 0;
    std::optional<Error> error;
    for (Rule& rule : rules_) {
      for_each_term(rule, [&](Term& term) {
        message.clear();
        if (!error && !compiled({formulas[next]}, message))
          error = error_at(rule.text.place, fmt::format("'{}': {}", printable(term.text), message));
        ++next;
      });
    }
    return error ? *error : Error{message};
  }
  const size_t added = fields_.size() * kFieldBytes;
  const bool same = model->global_bytes == loaded.model.global_bytes + added &&
                    model->hidden_bytes == loaded.model.hidden_bytes + added &&
                    std::ranges::equal(model->proctypes, loaded.model.proctypes, [](const auto& a, const auto& b) {
                      return a.frame_bytes == b.frame_bytes && a.locations.size() == b.locations.size();
                    });
  if (!same) return Error{"the map asks for a label or name that only exists if the model itself uses it"};
  size_t next = model->properties.size();
  std::vector<ExpressionId> atoms;  // the last ones are ours
  for (const Property& each : model->properties) {
    if (each.kind == Property::Kind::kLtl) atoms.push_back(model->formulas[each.formula].atom);
  }
  next = atoms.size() - formulas.size();
  extended_ = std::make_shared<const Model>(std::move(*model));
  for (Rule& rule : rules_) {
    for_each_term(rule, [&](Term& term) { term.id = atoms[next++]; });
    note_reads(rule);
    const Operator target = rule.target ? extended_->expressions[rule.target->id].op : Operator::kVariable;
    if (rule.text.kind == RuleText::Kind::kAssign && target != Operator::kVariable)
      return error_at(rule.text.place, fmt::format("'{}' is no variable", printable(rule.text.target)));
  }
  return Success{};
}

void EventMap::note_reads(Rule& rule) const {
  const uint32_t added = static_cast<uint32_t>(fields_.size()) * kFieldBytes;
  for_each_term(rule, [&](const Term& term) {
    for_each_expression(*extended_, term.id, [&](const Expression& each) {
      const bool is_operator = each.op >= Operator::kNegate && each.op <= Operator::kConditional;
      if (is_operator || each.op == Operator::kConstant || each.op == Operator::kOwnPid) return;
      if (each.op != Operator::kVariable) {
        rule.reads_more = true;
      } else if (each.reference.space == Space::kGlobal && each.reference.offset >= added) {
        rule.reads.push_back({each.reference.offset - added, extent(each.reference)});
      }
    });
  });
}

bool EventMap::names_elements_of(const Term& term, const Expression& expression) const {
  const Expression& named = extended_->expressions[term.id];
  return named.op == Operator::kVariable && expression.op == Operator::kVariable &&
         named.reference.space == Space::kGlobal && expression.reference.space == Space::kGlobal &&
         named.reference.variable == expression.reference.variable + fields_.size() &&
         model_->globals[expression.reference.variable].dimensions.size() == named.reference.indices.size();
}

bool EventMap::is_variable(const Term& term, uint32_t offset) const {
  const Expression& expression = extended_->expressions[term.id];
  return expression.op == Operator::kVariable && expression.reference.space == Space::kGlobal &&
         expression.reference.indices.empty() && expression.reference.offset == offset + fields_.size() * kFieldBytes;
}

bool EventMap::reads_hidden() const {
  return std::ranges::any_of(rules_, [&](const Rule& rule) {
    return std::ranges::any_of(rule.reads, [&](const auto& each) { return each.offset < model_->hidden_bytes; });
  });
}

bool EventMap::knows(const std::string& event) const {
  return std::ranges::any_of(rules_, [&](const Rule& each) { return each.text.event == event; });
}

std::optional<int32_t> EventMap::value(const Term& term, const Seen& seen, ByteView after,
                                       std::span<const int32_t> values) const {
  if (term.field >= 0 && !values.empty()) return values[static_cast<size_t>(term.field)];
  const Expression& expression = extended_->expressions[term.id];
  if (expression.op == Operator::kConstant) return expression.value;
  return value_of(*extended_, joined(values, fields_.size(), after), seen.pid, term.id);
}

std::optional<int32_t> EventMap::target_of(const Rule& rule, const Seen& seen, ByteView after,
                                           std::span<const int32_t> values) const {
  if (rule.text.kind != RuleText::Kind::kAssign) return value(*rule.target, seen, after, values);
  const VariableReference& reference = extended_->expressions[rule.target->id].reference;
  if (reference.space != seen.space) return std::nullopt;
  const std::optional<uint32_t> offset =
      offset_of(*extended_, reference, joined(values, fields_.size(), after), seen.pid);
  if (!offset) return std::nullopt;
  const size_t added = reference.space == Space::kGlobal ? fields_.size() * kFieldBytes : 0;
  return static_cast<int32_t>(*offset - added);
}

// Whether the channel or variable is an element of the array that a rule names with fields as indices.
bool EventMap::may_be_target(const Rule& rule, const Seen& seen, ByteView after) const {
  const Expression& expression = extended_->expressions[rule.target->id];
  const VariableReference& reference = expression.reference;
  if (expression.op != Operator::kVariable || reference.indices.empty()) return true;
  const bool is_global = reference.space == Space::kGlobal;
  const uint32_t begin = reference.offset - (is_global ? static_cast<uint32_t>(fields_.size()) * kFieldBytes : 0);
  if (rule.text.kind == RuleText::Kind::kAssign) {
    const auto target = static_cast<uint32_t>(seen.target);
    return reference.space == seen.space && target >= begin && target < begin + extent(reference);
  }
  const size_t base = is_global ? 0 : frame_offset(*model_, after, seen.pid);
  std::vector<uint32_t> offsets{begin};
  for (const VariableReference::Index& index : reference.indices) {
    std::vector<uint32_t> more;
    for (const uint32_t offset : offsets) {
      for (uint32_t i = 0; i < index.count; ++i) more.push_back(offset + i * index.stride);
    }
    offsets = std::move(more);
  }
  return std::ranges::any_of(offsets, [&](uint32_t offset) {
    return load_scalar(reference.type, after.data() + base + offset) == seen.target;
  });
}

bool EventMap::agrees(const Rule& rule, const Seen& seen, ByteView after, std::span<const int32_t> values,
                      bool of_log) const {
  if (rule.pid && rule.pid->of_log == of_log && value(*rule.pid, seen, after, values) != seen.pid) return false;
  if (rule.target && rule.target->of_log && !of_log && !may_be_target(rule, seen, after)) return false;
  if (rule.target && rule.target->of_log == of_log && target_of(rule, seen, after, values) != seen.target)
    return false;
  for (size_t i = 0; i < rule.arguments.size(); ++i) {
    const std::optional<Term>& each = rule.arguments[i];
    if (each && each->of_log == of_log && value(*each, seen, after, values) != seen.values[i]) return false;
  }
  return std::ranges::all_of(rule.where, [&](const Term& each) {
    return each.of_log != of_log || value(each, seen, after, values).value_or(0) != 0;
  });
}

bool EventMap::observes(const Rule& rule, const Seen& seen, ByteView after) const {
  if (rule.proctype >= 0 && rule.proctype != seen.proctype) return false;
  if (!rule.text.label.empty() &&
      std::ranges::find(seen.location->labels, rule.text.label) == seen.location->labels.end())
    return false;
  if (rule.text.kind != RuleText::Kind::kAny && rule.text.kind != seen.kind) return false;
  if (rule.text.kind == RuleText::Kind::kPrint && rule.text.target != seen.statement->format) return false;
  return rule.arguments.size() <= seen.values.size() && agrees(rule, seen, after, {}, false);
}

bool EventMap::fits(const Rule& rule, const Seen& seen, ByteView after, std::span<const int32_t> values) const {
  return agrees(rule, seen, after, values, true);
}

std::optional<int32_t> EventMap::pid_named(const Rule& rule, std::span<const int32_t> values) const {
  if (!rule.pid) return std::nullopt;
  if (rule.pid->field >= 0) return values[static_cast<size_t>(rule.pid->field)];
  bool of_fields = true;
  for_each_expression(*extended_, rule.pid->id, [&](const Expression& each) {
    const bool is_operator = each.op >= Operator::kNegate && each.op <= Operator::kConditional;
    const bool is_field = each.op == Operator::kVariable && each.reference.space == Space::kGlobal &&
                          each.reference.indices.empty() && each.reference.offset < fields_.size() * kFieldBytes;
    of_fields = of_fields && (is_operator || is_field || each.op == Operator::kConstant);
  });
  if (!of_fields) return std::nullopt;
  const Bytes nothing(extended_->global_bytes - fields_.size() * kFieldBytes);
  return value_of(*extended_, joined(values, fields_.size(), nothing), kNoProcess, rule.pid->id);
}

std::string LoggedEvent::text() const {
  std::string text;
  for (const auto& [name, value] : fields) text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value);
  return fmt::format("{}({})", event, text);
}

LoggedEvent EventMap::event_of(const Rule& rule, const Seen& seen, ByteView after) const {
  std::vector<std::optional<int32_t>> known(fields_.size());
  std::vector<ScalarType> types(fields_.size());
  const auto note = [&](const std::optional<Term>& term, int32_t value, const ScalarType& type) {
    if (!term || term->field < 0) return;
    known[static_cast<size_t>(term->field)] = value;
    types[static_cast<size_t>(term->field)] = type;
  };
  note(rule.pid, seen.pid, {});
  if (rule.text.kind != RuleText::Kind::kAssign) note(rule.target, seen.target, {});
  for (size_t i = 0; i < rule.arguments.size(); ++i)
    note(rule.arguments[i], seen.values[i], i < seen.types.size() ? seen.types[i] : ScalarType());
  std::vector<int32_t> values(fields_.size());
  for (size_t i = 0; i < values.size(); ++i) values[i] = known[i].value_or(0);
  // What is left: small values that fit, of one field after the other.
  constexpr int32_t kMostTried = 256;
  bool fits_now = fits(rule, seen, after, values);
  for (const uint32_t field : rule.fields) {
    for (int32_t value = 0; !known[field] && !fits_now && value < kMostTried; ++value) {
      values[field] = value;
      fits_now = fits(rule, seen, after, values);
    }
  }
  LoggedEvent event{rule.text.event, {}, fits_now};
  for (const uint32_t field : rule.fields) {
    const auto word = std::ranges::find(text_.values, values[field], [](const auto& each) { return each.second; });
    std::string text = std::to_string(values[field]);
    if (word != text_.values.end()) text = word->first;
    if (types[field].basic == BasicType::kMtype) text = value_text(*model_, types[field], values[field]);
    event.fields.emplace_back(fields_[field], fits_now || known[field] ? text : "*");
  }
  return event;
}

std::vector<Seen> EventMap::seen_in(ByteView before, std::span<const Step> steps, ByteView after) const {
  std::vector<Seen> all;
  const auto add = [&](uint8_t pid, LocationId location, uint16_t edge) -> Seen* {
    const Edge* const taken = find_edge(*model_, before, pid, location, edge);
    if (taken == nullptr) return nullptr;
    Seen seen;
    seen.pid = pid;
    const Proctype* const proctype = find_proctype(*model_, before, pid);
    seen.proctype = static_cast<ProctypeId>(proctype - model_->proctypes.data());
    seen.location = &proctype->locations[location];
    seen.statement = &model_->statements[taken->statement];
    return &all.emplace_back(std::move(seen));
  };
  for (const Step& step : steps) {
    if (step.pid == kNoProcess) continue;
    Seen* const seen = add(step.pid, step.location, step.edge);
    if (seen == nullptr) continue;
    see_values(*model_, before, after, step, *seen);
    if (step.partner == kNoProcess) continue;
    const Seen sender = *seen;
    Seen* const receiver = add(step.partner, step.partner_location, step.partner_edge);
    if (receiver == nullptr) continue;
    receiver->kind = RuleText::Kind::kReceive;
    receiver->target = sender.target;
    receiver->values = sender.values;
    receiver->types = sender.types;
  }
  return all;
}

}  // namespace cmc::conform
