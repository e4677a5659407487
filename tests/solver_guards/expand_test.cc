#include "promela/expand.h"

#include "tests/solver_guards/engines.h"
#include "tests/solver_guards/texts.h"

namespace cmc::test {
namespace {

// Nothing: it cannot be expanded; `messages` says why.
std::optional<std::string> expanded(const std::string& text, std::string* messages = nullptr) {
  promela::Sources sources;
  const uint32_t file = sources.add("test.pml", text);
  promela::Diagnostics diagnostics(sources);
  const auto result = promela::expand(sources, file, {{{false, "PROMELA_S"}}, {}}, diagnostics);
  if (messages != nullptr) *messages = diagnostics.render(false);
  return result;
}

TEST_CASE("expansion: the expanded text has the same states and steps") {
  size_t compared = 0;
  for (const GuardText& each : kTexts) {
    const std::optional<std::string> plain = expanded(each.text);
    if (!plain) continue;
    INFO(each.name << "\n" << *plain);
    const Model model = compile_text(*plain);
    CHECK(model.guards.empty());
    Found found = run_simple(compile_s(each.text), nullptr);
    // Undefined tuples: the twin finds the error when it comes to one; `max` does not tell what it leaves out.
    if (found.errors.contains("division at line 1") || found.errors.contains("index at line 1")) continue;
    found.reasons.clear();
    Found twin = run_simple(model, nullptr);
    CHECK(twin.states == found.states);
    CHECK(twin.transitions == found.transitions);
    CHECK(twin.errors.size() == found.errors.size());
    ++compared;
  }
  CHECK(compared >= 15);
}

TEST_CASE("expansion: what cannot be written down is said to be so, with its place") {
  std::string messages;
  CHECK(!expanded("byte n; active proctype P() { exists (k: 0 .. n) (k == 1) }", &messages));
  CHECK(messages.find("test.pml:1:47: error: expected a constant but found 'n'") != std::string::npos);
  CHECK(!expanded("int x; active proctype P() { choose (x: 0 .. 100, x: 0 .. 100) where (x > 0) }", &messages));
  CHECK(messages.find("more than 4096 tuples are too many to write down") != std::string::npos);
  CHECK(!expanded("int x; active proctype P() { least (x: 0 .. 1000) where (x > 0) }", &messages));
  CHECK(messages.find("more than 256 tuples") != std::string::npos);
  promela::Sources sources;
  const uint32_t file = sources.add("test.pml", "active proctype P() { skip }");
  promela::Diagnostics diagnostics(sources);
  CHECK(!promela::expand(sources, file, {}, diagnostics));
  CHECK(diagnostics.render(false).find("plain Promela already") != std::string::npos);
}

}  // namespace
}  // namespace cmc::test
