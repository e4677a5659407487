#include "checker/trace/counterexample.h"

#include <sstream>

#include "checker/generator/product_generator.h"
#include "checker/properties/decide.h"
#include "checker/vm/generator.h"
#include "tests/trace/run.h"

#include "tests/catch.h"

namespace cmc {
namespace {

// x goes round, and P can be kept from moving.
constexpr const char* kRound = R"(
byte x; bool other;
active proctype P() { do :: x < 2 -> x++ :: else -> x = 0 od }
active proctype Q() { do :: other = !other od }
)";
constexpr const char* kEnds = "byte x; active proctype P() { x = 1 }\n";

struct Shown {
  std::string title;
  std::string text;
  std::vector<std::string> lines;  // of the text
};

Shown show(const std::string& model_text, TraceStyle style, Fairness fairness = Fairness::kNone) {
  const Model model = compile_text(model_text);
  std::vector<PropertyEntry> entries = properties_of(model);
  std::erase_if(entries, [](const PropertyEntry& entry) {
    return entry.kind != PropertyKind::kLtl && entry.kind != PropertyKind::kNeverClaim;
  });
  SearchOptions options;
  options.fairness = fairness;
  const auto results = decide_properties(
      model, entries, options, [](const PropertyEntry&, const Model& product, const SearchOptions& each) {
        const auto generator =
            make_product_generator(close_atomic_chains(make_vm_generator(product), product), product);
        return run_search(*generator, product, each);
      });
  const PropertyResult& result = results.at(0);
  const FoundError* const error = shortest_counterexample(result.result);
  REQUIRE(error != nullptr);
  const auto referee = make_referee(*result.product, nullptr);
  CHECK(verify_error(*error, *referee, {result.product.get(), fairness}).empty());
  Shown shown;
  shown.title = counterexample_title(*error, result.fairness);
  const Result<Trace> trace = make_trace(*result.product, *error, *referee, 0, watched_atoms(*result.product));
  REQUIRE(trace.ok());
  TraceOptions how;
  how.style = style;
  shown.text = text_of(*result.product, trace.value(), how);
  std::istringstream lines(shown.text);
  for (std::string line; std::getline(lines, line);) shown.lines.push_back(line);
  return shown;
}

size_t line_with(const Shown& shown, std::string_view part) {
  for (size_t i = 0; i < shown.lines.size(); ++i) {
    if (contains(shown.lines[i], part)) return i;
  }
  FAIL("no line with '" << part << "' in\n" << shown.text);
  return 0;
}

TEST_CASE("counterexample: a loop has a mark, and names only processes that do not move as idle") {
  const Shown shown = show(std::string(kRound) + "ltl p { []<> (x == 2) }", TraceStyle::kDiff);
  INFO(shown.text);
  CHECK(line_with(shown, "at first: (x==2) false") < line_with(shown, "<<<< loop starts here >>>>"));
  CHECK(line_with(shown, "<<<< loop starts here >>>>") < line_with(shown, "Q[1]"));
  CHECK(contains(shown.text, "P[0] never moves in the loop, although it always could at"));
  CHECK(contains(shown.text, "; with --fairness weak no such run counts"));
  CHECK(contains(shown.text, "(x==2) stays false; x is "));
  CHECK(contains(shown.text, "state at the start and at the end of the loop:"));
  CHECK(contains(shown.title, "of them for ever"));
  CHECK(!contains(shown.text, "stays here"));
}

TEST_CASE("counterexample: inside an atomic sequence nobody else could move") {
  const std::string text =
      "byte x; bool done; active proctype P() { do :: atomic { x == 0; x = 1; x = 0 } od }\n"
      "active proctype Q() { x == 1 -> done = true } active proctype R() { x == 0 -> done = true }\n";
  const Shown shown = show(text + "ltl p { <> done }", TraceStyle::kDiff);
  INFO(shown.text);
  CHECK(contains(shown.text, "Q[1] never moves in the loop: it waits"));
  CHECK(contains(shown.text, "R[2] never moves in the loop, although it always could"));
}

TEST_CASE("counterexample: what becomes of atoms is told") {
  const Shown shown = show(std::string(kRound) + "ltl p { <>[] !(x == 1) }", TraceStyle::kDiff, Fairness::kWeak);
  INFO(shown.text);
  CHECK(contains(shown.lines.at(line_with(shown, "x: 0 -> 1")), "(x==1) becomes true"));
  CHECK(contains(shown.lines.at(line_with(shown, "x: 1 -> 2")), "(x==1) becomes false"));
  CHECK(contains(shown.text, "(x==1) changes again and again"));
  CHECK(contains(shown.title, "weakly fair"));
  CHECK(!contains(shown.text, "never move"));
}

TEST_CASE("counterexample: a claim that ends has an explanation, by its own name") {
  const std::string text = "byte x; active proctype P() { x = 1; x = 2 }\n";
  const Shown formula = show(text + "ltl a { [] (x != 2) }", TraceStyle::kDiff);
  INFO(formula.text);
  CHECK(contains(formula.text, "error: the formula is violated; no continuation can make it true\n"));
  CHECK(!contains(formula.text, "never claim"));
  CHECK(contains(formula.text, "why:\n  (x!=2) is false; x is 2 since step 2 (P[0])\n"));
  const Shown claim = show(text + "never {\n do :: x == 2 -> break :: else od }", TraceStyle::kDiff);
  INFO(claim.text);
  CHECK(contains(claim.text, "why:\n  never_0 at test.pml:3: (x==2); x is 2 since step 2 (P[0])\n"));
}

TEST_CASE("counterexample: moves of the claim are no steps of the model") {
  const std::string text = std::string(kRound) + "ltl p { []<> (x == 2) }";
  const Shown less = show(text, TraceStyle::kDiff);
  const Shown all = show(text, TraceStyle::kFull);
  CHECK(!contains(less.text, "\n       p "));
  CHECK(contains(all.text, "\n       p "));
  CHECK(less.title == all.title);
  const Shown columns = show(text, TraceStyle::kColumns);
  INFO(columns.text);
  CHECK(line_with(columns, "Q[1]") < line_with(columns, "<<<< loop starts here >>>>"));
}

TEST_CASE("counterexample: a blocked system is not said to move") {
  const Shown shown = show(std::string(kEnds) + "ltl p { <> (x == 2) }", TraceStyle::kDiff);
  INFO(shown.text);
  CHECK(line_with(shown, "x: 0 -> 1") < line_with(shown, "<<<< loop starts here >>>>"));
  CHECK(line_with(shown, "<<<< loop starts here >>>>") < line_with(shown, "the system stays here for ever"));
  CHECK(contains(shown.title, "then the system is blocked"));
}

}  // namespace
}  // namespace cmc
