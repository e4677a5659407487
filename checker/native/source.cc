#include "checker/native/source.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/sha1.h"
#include "checker/generator/stepper.h"
#include "checker/native/c_names.h"
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

constexpr const char* kNone = "{0, 0}";
constexpr size_t kMostSelected = 64;   // edges of a location: bits of CmcSelect
constexpr size_t kFewestSelected = 2;  // tests, for one call instead of several to pay

// The parameters of a function, and the macro that makes the two that CMC calls.
struct Shape {
  const char* parameters;
  const char* both;
};
constexpr Shape kOfStatement{"PARAMETERS", "FUNCTIONS"};
constexpr Shape kOfExpression{"PARAMETERS, int32_t* value", "EVALUATIONS"};

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
    const std::string body =
        interface_text() + sizes + prelude_text() + channel_types() + names_.definitions() + functions_ + tables();
    source_.sha1 = sha1_hex(body);
    source_.text = fmt::format("#define CMC_SOURCE \"{}\"\n{}", source_.sha1, body);
    return std::move(source_);
  }

 private:
  void write_proctype(const Proctype& proctype, CNames::Owner owner) {
    functions_ += fmt::format("\n/* --- {} */\n", comment_text(proctype.name));
    if (proctype.provided != kNoExpression) write_expression(proctype.provided, owner);
    for (const Location& location : proctype.locations) {
      for (const Edge& edge : location.edges) write_statement(edge.statement, owner);
    }
    if (owner >= model_.proctypes.size()) return;
    std::string rows;
    for (size_t i = 0; i < proctype.locations.size(); ++i) {
      const std::string name = fmt::format("select_{}_{}", owner, i);
      if (write_selection(proctype.locations[i], name, owner)) rows += fmt::format("  [{}] = {},\n", i, name);
    }
    selections_ += fmt::format("static const CmcSelect selections_{}[{}] = {{\n{}}};\n", owner,
                               proctype.locations.size(), rows.empty() ? "  0\n" : rows);
  }

  // Whether it pays, and can be done.
  bool write_selection(const Location& location, const std::string& name, CNames::Owner owner) {
    const auto escapes = [](const Edge& edge) { return edge.escape != 0; };
    if (location.edges.size() > kMostSelected || std::ranges::any_of(location.edges, escapes)) return false;
    std::string tests;
    std::string functions;
    uint64_t unknown = 0;
    uint64_t certain = 0;
    size_t tested = 0;
    for (size_t i = 0; i < location.edges.size(); ++i) {
      const Statement& statement = model_.statements[location.edges[i].statement];
      const uint64_t bit = uint64_t{1} << i;
      Writer writer(model_, names_, owner);
      writer.be_quiet();
      switch (statement.kind) {
        case StatementKind::kCondition:
        case StatementKind::kSend:
        case StatementKind::kReceive: writer.test(statement); break;
        case StatementKind::kAtomicBlock: writer.test_guard(statement.guard); break;
        default: unknown |= bit; continue;
      }
      if (!writer.supported()) {
        unknown |= bit;
        continue;
      }
      ++tested;
      const bool decides =
          statement.kind == StatementKind::kCondition || statement.kind == StatementKind::kAtomicBlock;
      if (decides && !writer.can_fail()) certain |= bit;
      functions += fmt::format("\n{}\nALWAYS_INLINE int {}_{}(PARAMETERS) {{\n  UNUSED;\n{}}}\n",
                               describe(model_, statement), name, i, writer.code());
      tests += fmt::format("  if ({}_{}(HERE) != CMC_BLOCKED) edges |= (uint64_t)1 << {};\n", name, i, i);
    }
    if (tested < kFewestSelected) return false;
    functions_ += functions;
    functions_ += fmt::format(
        "\nstatic uint64_t {}(struct CmcCall* call, uint64_t* certain) {{\n"
        "  uint8_t* const state = call->state;\n"
        "  uint8_t* const frame = call->frame;\n"
        "  const int traced = CMC_PLAIN;\n"
        "  uint64_t edges = 0x{:x}u;\n"
        "  *certain = 0x{:x}u;\n{}"
        "  return edges;\n}}\n",
        name, unknown, certain, tests);
    return true;
  }

  void write_statement(StatementId id, CNames::Owner owner) {
    if (known_[id]) return;
    known_[id] = true;
    const Statement& statement = model_.statements[id];
    std::string test = kNone;
    std::string execute = kNone;
    std::string message = kNone;
    const auto write = [&](const char* kind, auto&& body) {
      return function(describe(model_, statement) + "\n", kind, id, kOfStatement, owner, body);
    };
    switch (statement.kind) {
      case StatementKind::kCondition: test = write("test", [&](Writer& w) { w.test(statement); }); break;
      case StatementKind::kSend:
        message = write("message", [&](Writer& w) { w.message(statement); });
        [[fallthrough]];
      case StatementKind::kReceive: test = write("test", [&](Writer& w) { w.test(statement); }); [[fallthrough]];
      case StatementKind::kAssign:
      case StatementKind::kAssert:
      case StatementKind::kPrintf:
      case StatementKind::kPrintm:
      case StatementKind::kSetPriority: execute = write("execute", [&](Writer& w) { w.execute(id); }); break;
      case StatementKind::kAtomicBlock:
        if (statement.guard != kNoExpression) write_expression(statement.guard, owner);
        if (runs_as_a_whole(model_, statement)) {
          execute = write("execute", [&](Writer& w) { w.execute(id); });
        } else {
          write_body(statement, owner);
        }
        break;
      default: ++source_.left_out; break;
    }
    if (test == kNone && execute == kNone && message == kNone) return;
    statements_ += fmt::format("  [{}] = {{{}, {}, {}}},\n", id, test, execute, message);
  }

  // The statements of a d_step, one by one.
  void write_body(const Statement& block, CNames::Owner owner) {
    for (const DeterministicNode& node : block.body) {
      for (const DeterministicNode::Alternative& alternative : node.alternatives) {
        write_statement(alternative.statement, owner);
      }
    }
  }

  void write_expression(ExpressionId id, CNames::Owner owner) {
    if (guards_[id]) return;
    guards_[id] = true;
    const std::string name =
        function("", "evaluate", id, kOfExpression, owner, [&](Writer& writer) { writer.evaluate(id); });
    if (name != kNone) expressions_ += fmt::format("  [{}] = {{{}}},\n", id, name);
  }

  // Appends a C function, unless only the VM can do that. Returns the initializer for it.
  template <class F>
  std::string function(const std::string& comment, const char* kind, uint32_t number, const Shape& shape,
                       CNames::Owner owner, F&& write) {
    Writer writer(model_, names_, owner);
    write(writer);
    if (!writer.supported()) {
      ++source_.left_out;
      return kNone;
    }
    ++source_.functions;
    functions_ += fmt::format("\n{}ALWAYS_INLINE int {}_{}({}) {{\n  UNUSED;\n{}}}\n{}({}_{})\n", comment, kind,
                              number, shape.parameters, writer.code(), shape.both, kind, number);
    return fmt::format("BOTH({}_{})", kind, number);
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
    return "\n" + selections_ +
           fmt::format("static const CmcSelect* const selections[{}] = {{\n{}}};\n",
                       std::max<size_t>(model_.proctypes.size(), 1), selections) +
           table("CmcStatement", "statements", model_.statements.size(), statements_) +
           table("CmcExpression", "expressions", model_.expressions.size(), expressions_) +
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
  std::string functions_;
  std::string statements_;  // rows of the tables
  std::string expressions_;
  std::string selections_;
  Source source_;
};

}  // namespace

Source write_source(const Model& model) { return SourceWriter(model).write(); }

}  // namespace cmc::native
