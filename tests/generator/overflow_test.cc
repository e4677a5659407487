#include "tests/generator/explore.h"
#include "tests/support/compile.h"

#include "tests/catch.h"

// Values that do not fit, in each kind of store. The Explorer compares the VM with the reference interpreter.

namespace cmc::test {
namespace {

struct Found {
  std::vector<std::string> errors;  // "line 3: x = 256: 256 does not fit in a byte; 0 is stored"
  std::set<RuntimeErrorKind> kinds;
};

// Of all states.
Found found(const std::string& text, Overflow overflow) {
  Model model = compile_text(text);
  model.overflow = overflow;
  Explorer explorer(model);
  Found found;
  std::set<Bytes> seen;
  std::vector<Bytes> open;
  const auto take = [&](const SuccessorBatch& batch) {
    for (size_t i = 0; i < batch.entries.size(); ++i) {
      if (Bytes state = Explorer::copy(batch, i); seen.insert(state).second) open.push_back(std::move(state));
    }
    for (const RuntimeError& error : batch.errors) {
      found.errors.push_back("line " + std::to_string(error.place.line) + ": " + error.message);
      found.kinds.insert(error.kind);
    }
  };
  take(explorer.initial_batch());
  for (size_t i = 0; i < open.size(); ++i) take(explorer.expand(Bytes(open[i])));
  return found;
}

using Texts = std::vector<std::string>;

TEST_CASE("overflow: a store that loses bits is told, and no other one") {
  struct Case {
    const char* text;
    Texts errors;
  };
  const Case cases[] = {
      {"byte x; init { x = 256 }", {"line 1: x = 256: 256 does not fit in a byte; 0 is stored"}},
      {"byte x; init { x = 255 }", {}},
      {"byte x = 255; init { x++ }", {"line 1: x = (x+1): 256 does not fit in a byte; 0 is stored"}},
      {"byte x; init { x-- }", {"line 1: x = (x-1): -1 does not fit in a byte; 255 is stored"}},
      {"bit x = 1; init { x = x + 1 }", {"line 1: x = (x+1): 2 does not fit in a bit; 0 is stored"}},
      {"unsigned x : 3; init { x = 9 }", {"line 1: x = 9: 9 does not fit in an unsigned:3; 1 is stored"}},
      {"short x; int y = 40000; init { x = y }", {"line 1: x = y: 40000 does not fit in a short; -25536 is stored"}},
      {"short x; int y = -32768; init { x = y }", {}},
      {"int x = 2147483647; init { x++ }", {}},
      {"byte a[2]; byte i = 1; int y = 300; init { a[i] = y }",
       {"line 1: a[i] = y: 300 does not fit in a byte; 44 is stored"}},
      {"byte x; int y = 300; init { byte z = 3; d_step { z = 1; x = y; z = 2 } }",
       {"line 1: x = y: 300 does not fit in a byte; 44 is stored"}},
      {"proctype P(byte n) { skip } int y = 300; init { run P(y) }",
       {"line 1: (run P(y)): 300 does not fit in a byte; 44 is stored"}},
      {"chan q = [1] of { byte, short }; int y = 300; init { q ! y, y }",
       {"line 1: q!y,y: 300 does not fit in the field of the channel's messages"}},
      {"chan q = [1] of { int }; byte x; init { q ! 300; q ? x }",
       {"line 1: q?x: 300 does not fit in a byte; 44 is stored"}},
      {"chan q = [0] of { byte }; int y = 300; active proctype S() { q ! y } active proctype R() { byte x; q ? x }",
       {"line 1: q!y: 300 does not fit in the field of the channel's messages"}},
      {"chan q = [0] of { byte }; int y = 300; active proctype S() { q ! y }", {}},
      {"byte x = 256; init { skip }", {"line 0: 256 does not fit in the variable that it initialises"}},
  };
  for (const Case& each : cases) {
    INFO(each.text);
    const Found errors = found(each.text, Overflow::kError);
    CHECK(errors.errors == each.errors);
    if (!each.errors.empty()) CHECK(errors.kinds == std::set{RuntimeErrorKind::kOverflow});
    const Found notes = found(each.text, Overflow::kWarning);
    CHECK(notes.errors == each.errors);
    if (!each.errors.empty()) CHECK(notes.kinds == std::set{RuntimeErrorKind::kOverflowNote});
    CHECK(found(each.text, Overflow::kIgnored).errors.empty());
    CHECK(found(each.text, Overflow::kShown).errors.empty());
  }
}

TEST_CASE("overflow: an index that is out of bounds is the only error of its store") {
  const Found errors = found("byte a[2]; byte i = 7; int y = 300; init { a[i] = y }", Overflow::kError);
  CHECK(errors.kinds == std::set{RuntimeErrorKind::kIndexOutOfBounds});
}

}  // namespace
}  // namespace cmc::test
