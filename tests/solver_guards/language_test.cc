#include "tests/solver_guards/engines.h"

namespace cmc::test {
namespace {

// What the front end says about a text in Promela/S.
std::string messages_of(const std::string& text, bool promela_s = true) {
  promela::Sources sources;
  const uint32_t file = sources.add("test.pml", text);
  promela::Diagnostics diagnostics(sources);
  promela::CompileOptions options;
  if (promela_s) options.preprocessor.commands.push_back({false, "PROMELA_S"});
  const auto model = promela::compile(sources, file, options, diagnostics);
  CHECK(model.has_value() == (diagnostics.error_count() == 0));
  return diagnostics.render(false);
}

TEST_CASE("language: the words of Promela/S may be names in plain models") {
  const std::string text =
      "byte exists, choose, least, where, max; inline pick(least) { least = 1 } active proctype P() { exists = "
      "choose + least; "
      "where = max; choose > 0 }";
  CHECK(messages_of(text, false).empty());
  CHECK(compile_text(text).guards.empty());
  CHECK(messages_of("#define PROMELA_S 0\n" + text, false).empty());
  CHECK(messages_of("#define PROMELA_S\n#undef PROMELA_S\n" + text, false).empty());
  CHECK(messages_of("byte where, max; active proctype P() { where = max }").empty());
}

TEST_CASE("language: a text can say by itself that it is in Promela/S") {
  const std::string text = "active proctype P() { exists (k: 0 .. 1) (k == 1) }";
  CHECK(messages_of("#define PROMELA_S 1\n" + text, false).empty());
  CHECK(messages_of("#define PROMELA_S\n" + text, false).empty());
  CHECK(!messages_of(text, false).empty());
}

TEST_CASE("language: a mistake in a solver guard is told where it is") {
  struct Mistake {
    const char* text;     // in a process with byte x, a[3], i; chan q
    const char* message;  // where and what
  };
  const Mistake mistakes[] = {
      {"choose (x: 0 .. 3) (x > 1)", ":2:20: error: expected 'where' before the condition but found '('"},
      {"choose (x, i: 0 .. 3) where (x > 1)", ":2:10: error: expected ':' before the range"},
      {"choose (x: 0 .. 3, x: 0 .. 1) where (x > 1)", ":2:20: error: 'x' may be the same variable as 'x'"},
      {"choose (a[i]: 0 .. 3, a[x]: 0 .. 1) where (1)", ":2:23: error: 'a[x]' may be the same variable as 'a[i]'"},
      {"choose (a[i]: 0 .. 3) where (a[0] == 1)",
       ":2:30: error: whether 'a[0]' is 'a[i]', which is chosen, is not clear"},
      {"choose (a[i]: 0 .. 3, i: 0 .. 1) where (1)", ":2:11: error: the index of 'a[i]' is chosen itself"},
      {"choose (q: 0 .. 3) where (1)", ":2:9: error: channel 'q' cannot be chosen"},
      {"choose (_pid: 0 .. 3) where (1)", ":2:9: error: '_pid' cannot be chosen"},
      {"choose (a: 0 .. 3) where (1)", ":2:9: error: 'a' is an array; an index is missing"},
      {"choose (z: 0 .. 3) where (1)", ":2:9: error: undeclared variable 'z'"},
      {"choose (x: 0 .. 3) where (len(q) > x && q?[eval(x)])",
       ":2:42: error: 'q?[eval(x)]' depends on what is looked for"},
      {"choose (x: 0 .. 3) where (len(x) > 1)", ":2:27: error: 'len(x)' depends on what is looked for"},
      {"choose (x: 0 .. 3) where (exists (k: 0 .. 1) (k == x))",
       ":2:49: error: a solver guard is not allowed in the condition"},
      {"choose (x: 0 .. 3) where (x > 0) max 0", ":2:38: error: 'max 0': at least one witness has to be asked for"},
      {"d_step { choose (x: 0 .. 3) where (x > 0) }", ":2:10: error: 'choose' has several successors"},
      {"exists (k: 0 .. 3, k: 0 .. 1) (k > 1)", ":2:20: error: 'k' is looked for twice"},
      {"exists (k[1]: 0 .. 3) (k > 1)", ":2:9: error: 'exists' looks for values of names of its own"},
      {"exists (k: 0 .. 3) (k[1] > 1)", ":2:21: error: 'k' is a number; it has neither an index nor fields"},
      {"exists (k: 0 .. 3, j: k .. 3) (j > k)", ":2:23: error: undeclared variable 'k'"},
      {"exists (k: 0 .. run P()) (k > 1)", ":2:17: error: 'run' is a statement of its own"},
      {"exists (k: 0 .. 3) (k > run P())", ":2:25: error: 'run' is a statement of its own"},
      {"int choose", ":2:5: error: 'choose' is a word of Promela/S (PROMELA_S is defined) and cannot be"},
  };
  for (const Mistake& mistake : mistakes) {
    const std::string text =
        std::string("byte x, a[3], i; chan q = [1] of { byte }; active proctype P() {\n") + mistake.text + "\n}";
    INFO(mistake.text);
    CHECK_THAT(messages_of(text), Catch::Contains(mistake.message));
  }
}

TEST_CASE("language: an array that is too large to be looked through is refused") {
  CHECK(messages_of("byte a[4096]; active proctype P() { exists (k: 0 .. 9) (a[k] == 1) }").empty());
  CHECK_THAT(messages_of("byte a[4097]; active proctype P() { exists (k: 0 .. 9) (a[k] == 1) }"),
             Catch::Contains("'a[k]' can be one of 4097 elements; a solver guard takes at most 4096"));
}

}  // namespace
}  // namespace cmc::test
