#include "ir/dump.h"

#include <ostream>

#include <fmt/format.h>

#include "ir/print.h"

namespace cmc {

namespace {

std::string type_text(const Model& model, const ScalarType& type) {
  static constexpr const char* kNames[] = {"bit", "byte", "mtype", "pid", "chan", "short", "int", "unsigned"};
  std::string text = kNames[static_cast<size_t>(type.basic)];
  if (type.basic == BasicType::kMtype && type.mtype_set != 0 && type.mtype_set < model.mtype_set_names.size()) {
    text += ":" + model.mtype_set_names[type.mtype_set];
  }
  const bool usual = type.basic == BasicType::kBit     ? type.bits == 1
                     : type.basic == BasicType::kShort ? type.bits == 16
                     : type.basic == BasicType::kInt   ? type.bits == 32
                                                       : type.bits == 8;
  return usual ? text : fmt::format("{}:{}", text, type.bits);
}

std::string variable_text(const Model& model, const Variable& variable) {
  std::string name = variable.name;
  std::string strides;
  for (const Variable::Dimension& dimension : variable.dimensions) {
    name += fmt::format("[{}]{}", dimension.count, dimension.suffix);
    strides += fmt::format(" stride {}", dimension.stride);
  }
  return fmt::format("{:<6} {} {}{}{}{}", fmt::format("@{}", variable.offset), type_text(model, variable.type), name,
                     strides, variable.hidden ? " hidden" : "", variable.is_parameter ? " parameter" : "");
}

std::string channel_text(const Model& model, const ChannelInstance& channel) {
  std::string fields;
  uint32_t capacity = 0;
  if (channel.type < model.channel_types.size()) {
    const ChannelType& type = model.channel_types[channel.type];
    capacity = type.capacity;
    for (const ScalarType& field : type.fields) fields += (fields.empty() ? "" : ",") + type_text(model, field);
  }
  return fmt::format("{:<6} chan {} = [{}] of {{{}}}", fmt::format("@{}", channel.offset), channel.name, capacity,
                     fields);
}

class Dumper {
 public:
  Dumper(const Model& model, std::ostream& out) : model_(model), out_(out) {}

  void run() {
    header();
    for (const Variable& variable : model_.globals) out_ << "  " << variable_text(model_, variable) << '\n';
    for (const ChannelInstance& channel : model_.channels) out_ << "  " << channel_text(model_, channel) << '\n';
    initializers(nullptr, model_.initializers, model_.channels);
    for (const ActiveProcess& process : model_.active) {
      const bool known = process.proctype < model_.proctypes.size();
      out_ << "active " << (known ? model_.proctypes[process.proctype].name : "?");
      if (process.priority != 1) out_ << " priority " << unsigned{process.priority};
      out_ << '\n';
    }
    for (size_t i = 0; i < model_.proctypes.size(); ++i) proctype("proctype", i, model_.proctypes[i]);
    for (size_t i = 0; i < model_.claims.size(); ++i) proctype("claim", i, model_.claims[i]);
    for (const Property& property : model_.properties) {
      out_ << "property " << info(property.kind).name << (property.name.empty() ? "" : " ") << property.name;
      if (property.claim != kNoClaim) out_ << ", claim " << property.claim;
      if (property.formula != kNoFormula) out_ << ": " << build_formula_text(model_, property.formula);
      out_ << '\n';
    }
  }

 private:
  void header() {
    for (size_t i = 0; i < model_.mtype_sets.size(); ++i) {
      if (model_.mtype_sets[i].empty()) continue;
      out_ << "mtype";
      if (i < model_.mtype_set_names.size() && !model_.mtype_set_names[i].empty())
        out_ << ' ' << model_.mtype_set_names[i];
      for (size_t value = 0; value < model_.mtype_sets[i].size(); ++value) {
        out_ << ' ' << model_.mtype_sets[i][value] << '=' << value + 1;
      }
      out_ << '\n';
    }
    out_ << fmt::format("globals: {} bytes, {} hidden, header @{}", model_.global_bytes, model_.hidden_bytes,
                        model_.header_offset());
    if (model_.uses_priority) out_ << ", priorities";
    if (model_.uses_last) out_ << ", _last";
    if (model_.uses_timeout) out_ << ", timeout";
    if (model_.has_rendezvous) out_ << ", rendezvous";
    if (model_.escapes_like_java) out_ << ", escapes inner first";
    out_ << '\n';
  }

  void initializers(const Proctype* owner, const std::vector<Initializer>& list,
                    const std::vector<ChannelInstance>& channels) {
    for (const Initializer& initializer : list) {
      out_ << "  init " << reference_text(model_, owner, initializer.target) << " = ";
      if (initializer.channel < 0) {
        out_ << expression_text(model_, owner, initializer.value);
      } else {
        const size_t index = static_cast<size_t>(initializer.channel);
        out_ << "chan " << (index < channels.size() ? channels[index].name : "?");
      }
      out_ << '\n';
    }
  }

  void proctype(const char* what, size_t index, const Proctype& type) {
    out_ << fmt::format("{} {} {}: frame {} bytes, start {}, end {}{}", what, index, type.name, type.frame_bytes,
                        type.start, type.end, type.deterministic ? ", deterministic" : "");
    if (type.provided != kNoExpression) out_ << ", provided " << expression_text(model_, &type, type.provided);
    out_ << '\n';
    for (const Variable& variable : type.variables) out_ << "  " << variable_text(model_, variable) << '\n';
    for (const ChannelInstance& channel : type.channels) out_ << "  " << channel_text(model_, channel) << '\n';
    initializers(&type, type.initializers, type.channels);
    for (size_t i = 0; i < type.locations.size(); ++i) location(type, i);
  }

  void location(const Proctype& type, size_t index) {
    const Location& location = type.locations[index];
    const bool used = !location.edges.empty() || index == type.start || index == type.end;
    if (!used && location.labels.empty()) return;
    out_ << "  location " << index;
    if (location.place.line > 0) out_ << " line " << location.place.line;
    for (const std::string& label : location.labels) out_ << ' ' << label << ':';
    if (location.valid_end) out_ << " valid-end";
    if (location.accepting) out_ << " accepting";
    if (location.progress) out_ << " progress";
    if (location.generic) out_ << " generic";
    out_ << '\n';
    for (const Edge& edge : location.edges) {
      out_ << fmt::format("    -> {}  {}{}{}\n", edge.target, statement_text(model_, &type, edge.statement),
                          edge.atomic ? "  atomic" : "",
                          edge.escape == 0 ? "" : fmt::format("  escape {}", edge.escape));
      if (edge.statement >= model_.statements.size()) continue;
      const Statement& statement = model_.statements[edge.statement];
      if (statement.kind == StatementKind::kAtomicBlock) block(type, statement);
      if (statement.kind == StatementKind::kChoose) {
        out_ << "       " << build_statement_text(model_, &type, edge.statement) << '\n';
      }
    }
  }

  void block(const Proctype& type, const Statement& block) {
    if (block.guard != kNoExpression) out_ << "       guard " << expression_text(model_, &type, block.guard) << '\n';
    for (size_t node = 0; node < block.body.size(); ++node) {
      for (const DeterministicNode::Alternative& alternative : block.body[node].alternatives) {
        const bool done = alternative.next == DeterministicNode::kDone;
        out_ << fmt::format("       {} -> {}  {}\n", node, done ? "done" : std::to_string(alternative.next),
                            statement_text(model_, &type, alternative.statement));
      }
    }
  }

  const Model& model_;
  std::ostream& out_;
};

}  // namespace

void dump(const Model& model, std::ostream& out) { Dumper(model, out).run(); }

}  // namespace cmc
