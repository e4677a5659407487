#include "checker/native/selection.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "checker/native/shapes.h"
#include "checker/native/writer.h"

namespace cmc::native {

namespace {

constexpr size_t kMostSelected = 64;   // edges of a location: bits of CmcSelect
constexpr size_t kFewestSelected = 2;  // tests, for one call instead of several to pay

class SelectionWriter {
 public:
  SelectionWriter(const Model& model, const CNames& names, CNames::Owner owner, const std::string& name)
      : model_(model), names_(names), owner_(owner), name_(name) {}

  void add(size_t edge, const Statement& statement) {
    const uint64_t bit = uint64_t{1} << edge;
    Writer writer(model_, names_, owner_);
    writer.be_quiet();
    switch (statement.kind) {
      case StatementKind::kCondition:
      case StatementKind::kSend:
      case StatementKind::kReceive: writer.test(statement); break;
      case StatementKind::kAtomicBlock: writer.test_guard(statement.guard); break;
      default: unknown_ |= bit; return;
    }
    if (!writer.supported()) {
      unknown_ |= bit;
      return;
    }
    const bool decides = statement.kind == StatementKind::kCondition || statement.kind == StatementKind::kAtomicBlock;
    if (decides && !writer.can_fail()) certain_ |= bit;
    tests_.push_back({fmt::format("{}_{}", name_, edge), "select", describe(model_, statement), writer.code()});
    edges_.push_back(edge);
  }

  [[nodiscard]] size_t tests() const { return tests_.size(); }

  [[nodiscard]] std::string write() const {
    std::string functions;
    std::string calls;
    for (const Shape& shape : find_shapes(tests_)) {
      const std::string& test = tests_[shape.members.front()].name;
      const Written written = write_shape(shape, tests_);
      functions += fmt::format("\n{}\n{}ALWAYS_INLINE int {}(PARAMETERS, const uint32_t* c) {{\n  UNUSED;\n{}}}\n",
                               written.comment, written.constants, test, written.code);
      if (!shape.shared()) {
        calls += fmt::format("  SELECT({}, 0, {})\n", test, edges_[shape.members.front()]);
        continue;
      }
      std::vector<size_t> edges;
      for (const size_t member : shape.members) edges.push_back(edges_[member]);
      functions += fmt::format("static const uint8_t {}_edges[] = {{{}}};\n", test, fmt::join(edges, ", "));
      const std::string row = shape.rows.empty() ? "0" : fmt::format("{}_constants[i]", test);
      calls += fmt::format("  for (i = 0; i < {}; ++i) SELECT({}, {}, {}_edges[i])\n", edges.size(), test, row, test);
    }
    return functions + fmt::format(
                           "\nstatic uint64_t {}(struct CmcCall* call, uint64_t* certain) {{\n"
                           "  uint8_t* const state = call->state;\n"
                           "  uint8_t* const frame = call->frame;\n"
                           "  const int traced = 0;\n"
                           "  uint64_t edges = 0x{:x}u;\n"
                           "  uint32_t i;\n"
                           "  (void)i;\n"
                           "  *certain = 0x{:x}u;\n{}"
                           "  return edges;\n}}\n",
                           name_, unknown_, certain_, calls);
  }

 private:
  const Model& model_;
  const CNames& names_;
  const CNames::Owner owner_;
  const std::string& name_;
  std::vector<Function> tests_;
  std::vector<size_t> edges_;  // by test
  uint64_t unknown_ = 0;       // edges without a test
  uint64_t certain_ = 0;
};

}  // namespace

std::optional<std::string> write_selection(const Model& model, const CNames& names, CNames::Owner owner,
                                           const Location& location, const std::string& name) {
  const auto escapes = [](const Edge& edge) { return edge.escape != 0; };
  if (location.edges.size() > kMostSelected || std::ranges::any_of(location.edges, escapes)) return std::nullopt;
  SelectionWriter writer(model, names, owner, name);
  for (size_t i = 0; i < location.edges.size(); ++i) writer.add(i, model.statements[location.edges[i].statement]);
  if (writer.tests() < kFewestSelected) return std::nullopt;
  return writer.write();
}

}  // namespace cmc::native
