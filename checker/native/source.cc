#include "checker/native/source.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/sha1.h"
#include "checker/generator/machine.h"
#include "checker/native/c_names.h"
#include "checker/native/marked_text.h"
#include "checker/native/selection.h"
#include "checker/native/shapes.h"
#include "checker/native/source_text.h"
#include "checker/native/writer.h"

namespace cmc::native {

namespace {

// Whether a d_step runs as one piece of code: nothing in it can be part of a rendezvous or create a process.
bool runs_as_a_whole(const Model& model, const Statement& block) {
  const auto is_plain = [&](const DeterministicNode::Alternative& alternative) {
    const Statement& statement = model.statements[alternative.statement];
    switch (statement.kind) {
      case StatementKind::kCondition: return model.expressions[statement.expression].op != Operator::kRun;
      case StatementKind::kSkip:
      case StatementKind::kElse:
      case StatementKind::kAssign:
      case StatementKind::kAssert:
      case StatementKind::kPrintf:
      case StatementKind::kPrintm: return true;
      default: return false;
    }
  };
  return std::ranges::all_of(
      block.body, [&](const DeterministicNode& node) { return std::ranges::all_of(node.alternatives, is_plain); });
}

constexpr size_t kNone = SIZE_MAX;  // instead of a function's number

class SourceWriter {
 public:
  explicit SourceWriter(const Model& model)
      : model_(model), names_(model), known_(model.statements.size()), guards_(model.expressions.size()) {}

  Source write() {
    for (size_t i = 0; i < model_.proctypes.size(); ++i) {
      write_proctype(model_.proctypes[i], static_cast<CNames::Owner>(i));
    }
    if (model_.claim.exists()) {
      const size_t owner = model_.proctypes.size() + model_.claim.claim;
      write_proctype(model_.claims[model_.claim.claim], static_cast<CNames::Owner>(owner));
    }
    const std::string sizes =
        fmt::format("\n#define CHANNEL_TYPES {}\n#define MOST_STATEMENTS {}\n",
                    std::max<size_t>(model_.channel_types.size(), 1), kMaxAtomicBlockStatements);
    const std::string functions = write_functions();  // initializers_ now are known
    const std::string marked = sizes + prelude_text() + channel_types() + names_.definitions() + functions + tables();
    const std::string body = interface_text() + with_comments(marked);
    source_.sha1 = sha1_hex(interface_text() + without_comments(marked));
    source_.text = fmt::format("#define CMC_SOURCE \"{}\"\n{}", source_.sha1, body);
    return std::move(source_);
  }

 private:
  // A part of the source: a function, or else some text.
  struct Part {
    size_t function = kNone;
    std::string text;
  };
  struct StatementRow {
    StatementId id = 0;
    size_t test = kNone;
    size_t execute = kNone;
    size_t message = kNone;
  };
  struct ExpressionRow {
    ExpressionId id = 0;
    size_t evaluate = kNone;
  };

  void write_proctype(const Proctype& proctype, CNames::Owner owner) {
    const std::string heading = fmt::format("/* --- {} */", comment_text(proctype.name));
    parts_.push_back({kNone, fmt::format("\n{}\n", marked_comment(heading))});
    if (proctype.provided != kNoExpression) write_expression(proctype.provided, owner, "");
    for (const Location& location : proctype.locations) {
      for (const Edge& edge : location.edges) write_statement(edge.statement, owner);
    }
    if (owner >= model_.proctypes.size()) return;
    std::string rows;
    for (size_t i = 0; i < proctype.locations.size(); ++i) {
      const std::string name = fmt::format("select_{}_{}", owner, i);
      auto selection = write_selection(model_, names_, owner, proctype.locations[i], name);
      if (!selection) continue;
      parts_.push_back({kNone, *std::move(selection)});
      rows += fmt::format("  [{}] = {},\n", i, name);
    }
    selections_ += fmt::format("static const CmcSelect selections_{}[{}] = {{\n{}}};\n", owner,
                               proctype.locations.size(), rows.empty() ? "  0\n" : rows);
  }

  void write_statement(StatementId id, CNames::Owner owner) {
    if (known_[id]) return;
    known_[id] = true;
    const Statement& statement = model_.statements[id];
    StatementRow row{id};
    const std::string comment = describe(model_, statement);
    const auto write = [&](const char* kind, auto&& body) { return add(comment, kind, id, owner, body); };
    switch (statement.kind) {
      case StatementKind::kCondition: row.test = write("test", [&](Writer& w) { w.test(statement); }); break;
      case StatementKind::kSend:
        row.message = write("message", [&](Writer& w) { w.message(statement); });
        [[fallthrough]];
      case StatementKind::kReceive: row.test = write("test", [&](Writer& w) { w.test(statement); }); [[fallthrough]];
      case StatementKind::kAssign:
      case StatementKind::kAssert:
      case StatementKind::kPrintf:
      case StatementKind::kPrintm:
      case StatementKind::kSetPriority: row.execute = write("execute", [&](Writer& w) { w.execute(id); }); break;
      case StatementKind::kAtomicBlock:
        if (statement.guard != kNoExpression) write_expression(statement.guard, owner, comment);
        if (runs_as_a_whole(model_, statement)) {
          row.execute = write("execute", [&](Writer& w) { w.execute(id); });
        } else {
          write_body(statement, owner);
        }
        break;
      default: ++source_.left_out; break;
    }
    if (row.test != kNone || row.execute != kNone || row.message != kNone) statements_.push_back(row);
  }

  // The statements of a d_step, one by one.
  void write_body(const Statement& block, CNames::Owner owner) {
    for (const DeterministicNode& node : block.body) {
      for (const DeterministicNode::Alternative& alternative : node.alternatives) {
        write_statement(alternative.statement, owner);
      }
    }
  }

  // A guard, or what a proctype is `provided`.
  void write_expression(ExpressionId id, CNames::Owner owner, const std::string& comment) {
    if (guards_[id]) return;
    guards_[id] = true;
    const size_t evaluate = add(comment, "evaluate", id, owner, [&](Writer& writer) { writer.evaluate(id); });
    if (evaluate != kNone) expressions_.push_back({id, evaluate});
  }

  // Adds a C function, unless only the VM can do that. Returns its number, or kNone.
  template <class F>
  size_t add(const std::string& comment, const char* kind, uint32_t number, CNames::Owner owner, F&& write) {
    Writer writer(model_, names_, owner);
    write(writer);
    if (!writer.supported()) {
      ++source_.left_out;
      return kNone;
    }
    parts_.push_back({functions_.size(), ""});
    functions_.push_back({fmt::format("{}_{}", kind, number), kind, comment, writer.code()});
    return functions_.size() - 1;
  }

  // The text of all parts. Each shape is where its first function would be.
  std::string write_functions() {
    initializers_.assign(functions_.size(), "");
    std::vector<std::string> texts(functions_.size());
    for (const Shape& shape : find_shapes(functions_)) {
      ++source_.functions;
      const Function& first = functions_[shape.members.front()];
      const char* const value = first.kind == "evaluate" ? ", int32_t* value" : "";
      const Written written = write_shape(shape, functions_);
      texts[shape.members.front()] =
          fmt::format("\n{}\n{}static int {}(struct CmcCall* call{}, const uint32_t* c) {{\n  BEGIN\n{}}}\n",
                      written.comment, written.constants, first.name, value, written.code);
      for (size_t i = 0; i < shape.members.size(); ++i) {
        const std::string row = shape.rows.empty() ? "0" : fmt::format("{}_constants[{}]", first.name, i);
        initializers_[shape.members[i]] = fmt::format("{{{}, {}}}", first.name, row);
      }
    }
    std::string text;
    for (const Part& part : parts_) text += part.function == kNone ? part.text : texts[part.function];
    return text;
  }
  [[nodiscard]] std::string initializer(size_t function) const {
    return function == kNone ? "{0, 0}" : initializers_[function];
  }

  [[nodiscard]] std::string channel_types() const {
    std::string fields;
    std::string types;
    for (size_t i = 0; i < model_.channel_types.size(); ++i) {
      const ChannelType& type = model_.channel_types[i];
      std::string list;
      for (size_t f = 0; f < type.fields.size(); ++f) {
        list += fmt::format("{}{{{}, {}, {}, {}}}", f > 0 ? ", " : "", type.fields[f].bytes, type.fields[f].bits,
                            type.fields[f].is_signed() ? 1 : 0, type.field_offsets[f]);
      }
      fields +=
          fmt::format("static const struct Field fields_{}[] = {{{}}};\n", i, list.empty() ? "{0, 0, 0, 0}" : list);
      types +=
          fmt::format("  {{{}, {}, {}, fields_{}}},\n", type.capacity, type.message_bytes, type.fields.size(), i);
    }
    if (types.empty()) types = "  {0, 0, 0, 0}\n";
    return fmt::format("\n{}static const struct ChannelType channel_types[CHANNEL_TYPES] = {{\n{}}};\n\n", fields,
                       types);
  }

  [[nodiscard]] std::string tables() const {
    const auto table = [](const char* type, const char* name, size_t count, const std::string& rows) {
      return fmt::format("static const struct {} {}[{}] = {{\n{}}};\n", type, name, std::max<size_t>(count, 1),
                         rows.empty() ? "  {0}\n" : rows);
    };
    size_t longest = 0;
    for (const ChannelType& type : model_.channel_types) longest = std::max(longest, type.fields.size());
    std::string selections;
    for (size_t i = 0; i < model_.proctypes.size(); ++i) selections += fmt::format("  selections_{},\n", i);
    if (selections.empty()) selections = "  0\n";
    std::string statements;
    for (const StatementRow& row : statements_) {
      statements += fmt::format("  [{}] = {{{}, {}, {}}},\n", row.id, initializer(row.test), initializer(row.execute),
                                initializer(row.message));
    }
    std::string expressions;
    for (const ExpressionRow& row : expressions_) {
      expressions += fmt::format("  [{}] = {},\n", row.id, initializer(row.evaluate));
    }
    return "\n" + selections_ +
           fmt::format("static const CmcSelect* const selections[{}] = {{\n{}}};\n",
                       std::max<size_t>(model_.proctypes.size(), 1), selections) +
           table("CmcStatement", "statements", model_.statements.size(), statements) +
           table("CmcExpression", "expressions", model_.expressions.size(), expressions) +
           fmt::format(
               "static const struct CmcModel model = {{CMC_NATIVE_VERSION, CMC_SOURCE, {}, {}, {}, {}, statements, "
               "expressions, selections}};\n\n"
               "EXPORTED const struct CmcModel* cmc_native_model(void);\n"
               "EXPORTED const struct CmcModel* cmc_native_model(void) {{ return &model; }}\n",
               model_.statements.size(), model_.expressions.size(), model_.proctypes.size(), longest);
  }

  const Model& model_;
  CNames names_;
  std::vector<bool> known_;   // statements that were dealt with
  std::vector<bool> guards_;  // expressions likewise
  std::vector<Part> parts_;   // in the order of the source
  std::vector<Function> functions_;
  std::vector<std::string> initializers_;  // by function
  std::vector<StatementRow> statements_;
  std::vector<ExpressionRow> expressions_;
  std::string selections_;  // a table for each proctype
  Source source_;
};

}  // namespace

Source write_source(const Model& model) { return SourceWriter(model).write(); }

}  // namespace cmc::native
