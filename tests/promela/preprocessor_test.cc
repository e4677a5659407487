#include "promela/preprocessor/preprocessor.h"

#include <deque>
#include <filesystem>
#include <random>

#include <sys/stat.h>

#include "tests/promela/front_end.h"
#include "tests/promela/gcc_comparison.h"
#include "tests/support/temporary_folder.h"

#include "tests/catch.h"

namespace cmc::promela {
namespace {

namespace fs = std::filesystem;

// The output lines of a text, joined by `|`; its errors as text.
struct Run {
  std::string output;
  std::string errors;
};

Run run(const std::string& text, const PreprocessorOptions& options = {}) {
  Sources sources;
  Diagnostics diagnostics(sources);
  std::deque<std::string> arena;
  const uint32_t main = sources.add("test.pml", text);
  const std::vector<PpToken> tokens = preprocess(sources, main, options, diagnostics, arena);
  Run result;
  for (const std::string& line : to_lines(tokens)) result.output += (result.output.empty() ? "" : "|") + line;
  result.errors = diagnostics.render(false);
  return result;
}

void compare_with_gcc(const fs::path& path) {
  INFO(path.string());
  const std::optional<OutputLines> expected = gcc_lines(path.string());
  REQUIRE(expected);
  const OutputLines actual = our_lines(path.string());
  for (size_t i = 0; i < std::min(expected->size(), actual.size()); ++i) REQUIRE(actual[i] == (*expected)[i]);
  REQUIRE(actual.size() == expected->size());
}

std::vector<fs::path> models_below(const fs::path& directory) {
  std::vector<fs::path> models;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (entry.path().extension() == ".pml") models.push_back(entry.path());
  }
  return models;
}

}  // namespace

TEST_CASE("preprocessor: tricky inputs come out as gcc -E prints them, token by token and line by line") {
  if (!gcc_is_installed()) {
    WARN("gcc is missing: nothing compared");
    return;
  }
  const std::vector<fs::path> cases = models_below(CMC_SOURCE_DIR "/tests/promela/preprocessor_cases");
  REQUIRE(cases.size() >= 10);
  for (const fs::path& path : cases) compare_with_gcc(path);
}

TEST_CASE("preprocessor: the examples of SPIN come out as gcc -E prints them") {
  const fs::path examples = "/usr/share/doc/spin/examples/Examples";
  if (!gcc_is_installed() || !fs::exists(examples)) {
    WARN("gcc or SPIN's examples are missing: nothing compared");
    return;
  }
  for (const fs::path& path : models_below(examples)) compare_with_gcc(path);
}

TEST_CASE("preprocessor: a pp-number hides a macro's name") {
  CHECK(run("#define N 3\n1..N N..1 .. N").output == "1..N 3 ..1 .. 3");
}

TEST_CASE("preprocessor: a comment over lines and arguments over lines break lines as gcc does") {
  CHECK(run("a /* \n */ b").output == "a|b");
  CHECK(run("#define f(x, y) x y\nf(a,\n b) c d\ne").output == "a b|c d|e");
  CHECK(run("a \\\n b").output == "a|b");
}

TEST_CASE("preprocessor: macros at the seams of tokens get a space where C tokens would run together") {
  CHECK(run("#define C :\nC: a:C #").output == ": : a: : #");
  CHECK(run("#define E\n-E- xE x E y -E>").output == "- - xE x y - >");
}

TEST_CASE("preprocessor: the command line defines, with values and parameters, and undefines") {
  const PreprocessorOptions options = {
      {{false, "A"}, {false, "B=x+1"}, {false, "F(x)=x*x"}, {false, "G="}, {true, "A"}, {true, "linux"}}, {}};
  const Run result = run("A B F(2) G linux unix", options);
  CHECK(result.output == "A x+1 2*2 linux 1");
  CHECK(result.errors.empty());
}

TEST_CASE("preprocessor: an include that is missing names the directories searched") {
  const Run result = run("#include \"no/such.h\"\nx", {{}, {"/tmp/nowhere", "/tmp/elsewhere"}});
  CHECK(result.output.empty());
  CHECK(contains(result.errors, "test.pml:1:10: error: file 'no/such.h' is not found"));
  CHECK(contains(result.errors, "note: searched in: '.', '/tmp/nowhere', '/tmp/elsewhere'"));
}

TEST_CASE("preprocessor: an include waits for nobody") {
  const test::TemporaryFolder folder;
  const std::string pipe = folder.path() + "/pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(contains(run("#include \"" + pipe + "\"\nx").errors, "/pipe' is no regular file"));
  CHECK(run("#include \"/dev/null\"\nx").errors.empty());
}

TEST_CASE("preprocessor: what a missing file would have defined is missed, too") {
  const Run result = run("a\n#if 1\n#include \"no/such.h\"\n#if DEFINED_THERE(1)\n#error x\n");
  CHECK(result.output == "a");
  CHECK(contains(result.errors, "1 error generated."));
  CHECK(!contains(Compiled("#include \"no/such.h\"\nbyte x = N;\n").messages, "'N'"));
  CHECK(!contains(Compiled("#if 1/0\n#endif\nbyte x = N;\n").messages, "'N'"));
}

TEST_CASE("preprocessor: a carriage return alone ends a line where gcc -E ends one") {
  CHECK(run("a // b\rc\r\nd /* e\rf */ g\r").output == "a|c|d|g");
  CHECK(run("#define N 2\rN \\\r M\r\r\n__LINE__").output == "2|M|5");
  CHECK(contains(run("\"a\rb\"").errors, "test.pml:1:1: error: missing terminating"));
  CHECK(contains(run("a\r\rb\n\r#error x").errors, "test.pml:5:2: error: #error x\n#error x\n ^"));
}

TEST_CASE("preprocessor: angled includes search the given directories only") {
  const std::string directory = CMC_SOURCE_DIR "/tests/promela/preprocessor_cases/include";
  CHECK(run("#include <h.h>\nFROM_H", {{}, {directory}}).output == "byte h = 7;|7");
  CHECK(contains(run("#include <h.h>\n", {}).errors, "no directories to search"));
}

TEST_CASE("preprocessor: embedded C can include headers of the system, which are left out") {
  const Run result = run("c_decl {\n#include <stdio.h>\n}\nc_code [x > 1] { if (x) { }\n#include <unistd.h>\n} x");
  CHECK(result.output == "c_decl {|}|c_code [x > 1] { if (x) { }|} x");
  CHECK(contains(result.errors, "test.pml:2:10: warning: file 'stdio.h' is not found and left out"));
  CHECK(contains(result.errors, "test.pml:5:10: warning: file 'unistd.h' is not found and left out"));
  CHECK(contains(run("c_decl { int y; }\n#include <stdio.h>\n").errors, "error: file 'stdio.h' is not found"));
  CHECK(contains(run("c_decl {\n#include \"here.h\"\n}\n").errors, "error: file 'here.h' is not found"));
}

TEST_CASE("preprocessor: a zero byte is warned of and read as a blank") {
  const Run result = run(std::string("a\nb\0c \0", 7));
  CHECK(result.output == "a|b c");
  CHECK(contains(result.errors,
                 "test.pml:2:2: warning: a zero byte, which is read as a blank; the file has 2 of them"));
}

TEST_CASE("preprocessor: a mistyped directive gets a suggestion") {
  CHECK(contains(run("#inlcude \"x\"\n").errors,
                 "unknown preprocessor directive '#inlcude'; did you mean '#include'?"));
  CHECK(contains(run("#defin X\n").errors, "did you mean '#define'?"));
  CHECK(run("#if 0\n#defin X\n#endif\n").errors.empty());
}

TEST_CASE("preprocessor: errors are found and the rest is preprocessed") {
  const auto rejects = [](const std::string& text, const std::string& message) {
    INFO(text);
    const Run result = run(text + "\nrest");
    CHECK(contains(result.errors, message));
    CHECK(contains(result.output, "rest"));
  };
  rejects("#error out of luck", "error: #error out of luck");
  rejects("#if 1/0\n#endif", "division by zero");
  rejects("#if (1\n#endif", "missing ')'");
  rejects("#if\n#endif", "condition without an expression");
  rejects("#if 1 2\n#endif", "missing binary operator before '2'");
  rejects("#if 1.5\n#endif", "'1.5' is not an integer");
  rejects("#if f(1)\n#endif", "'f' is not a function-like macro");
  rejects("#if \"s\"\n#endif", "is not an operand");
  rejects("#if defined\n#endif", "needs the name of a macro");
  rejects("#endif", "#endif without #if");
  rejects("#else", "#else without #if");
  rejects("#if 1\n#else\n#else\n#endif", "#else after #else");
  rejects("#define", "the name of a macro is expected");
  rejects("#define f(x,x) x", "duplicate macro parameter 'x'");
  rejects("#define f(x y) x", "',' or ')' is expected");
  rejects("#define f(x) #y", "'#' is not followed by a macro parameter");
  rejects("#define f ## x", "'##' cannot be at either end");
  rejects("#define f(x) x\nf(1,2)", "macro 'f' takes 1 argument, but 2 are given");
  rejects("#define c a ## -\nc", "pasting 'a' and '-'");
  rejects("#include", "#include needs");
  rejects("#line x", "#line needs a line number");
  rejects("\"abc", "missing terminating \" character");
}

TEST_CASE("preprocessor: unterminated things at the end of the file are errors") {
  CHECK(contains(run("x /* y").errors, "test.pml:1:3: error: unterminated comment"));
  CHECK(contains(run("#if 1\nx").errors, "test.pml:1:2: error: this condition has no #endif"));
  CHECK(contains(run("#define f(x) x\nf(1").errors, "have no closing ')'"));
}

TEST_CASE("preprocessor: an apostrophe in running text is a warning only, and none where it is skipped") {
  CHECK(contains(run("it's x").errors, "warning: missing terminating ' character"));
  CHECK(run("#if 0\nit's \"x\n#endif\ny").errors.empty());
}

TEST_CASE("preprocessor: a redefinition warns and shows the first one; an equal one does not") {
  const Run result = run("#define A 1\n#define A 2\nA");
  CHECK(result.output == "2");
  CHECK(contains(result.errors, "warning: macro 'A' is redefined"));
  CHECK(contains(result.errors, "test.pml:1:9: note: previous definition is here"));
  CHECK(run("#define A 1  + 2\n#define A  1 + 2\n").errors.empty());
}

TEST_CASE("preprocessor: an error in a macro is shown at its use, with the way to the body") {
  const Run result = run("#define IN a ## -\n#define OUT b IN\nx OUT");
  CHECK(result.errors ==
        "test.pml:3:3: error: pasting 'a' and '-' does not give one token\nx OUT\n  ^\n"
        "test.pml:2:15: note: expanded from macro 'OUT'\n#define OUT b IN\n              ^\n"
        "test.pml:1:12: note: expanded from macro 'IN'\n#define IN a ## -\n           ^\n"
        "1 error generated.\n");
}

TEST_CASE("preprocessor: a macro argument keeps the place where it is written") {
  Sources sources;
  Diagnostics diagnostics(sources);
  std::deque<std::string> arena;
  const uint32_t main = sources.add("t", "#define f(x) (x)\n  f( arg )");
  const std::vector<PpToken> tokens = preprocess(sources, main, {}, diagnostics, arena);
  REQUIRE(tokens.size() == 4);
  CHECK(tokens[1].location.place == SourcePlace{main, 2, 6});
  CHECK(sources.expansion(tokens[1].location.expansion).place == SourcePlace{main, 1, 15});
  CHECK(tokens[0].location.place == SourcePlace{main, 2, 3});
  CHECK(sources.expansion(tokens[0].location.expansion).place == SourcePlace{main, 1, 14});
}

TEST_CASE("preprocessor: hostile inputs end with an error, soon and without a crash") {
  const auto repeated = [](const std::string& text, size_t count) {
    std::string result;
    for (size_t i = 0; i < count; ++i) result += text;
    return result;
  };
  const size_t deep = 100'000;
  CHECK(contains(run("#if " + repeated("(", deep) + "1\n#endif").errors, "nested too deeply"));
  CHECK(contains(run("#if " + repeated("- ", deep) + "1\n#endif").errors, "nested too deeply"));
  CHECK(contains(run("#if " + repeated("1?", deep) + "1\n#endif").errors, "nested too deeply"));
  CHECK(contains(run("#define f(x) x\n" + repeated("f(", 1500) + repeated(")", 1500)).errors, "nested too deeply"));
  CHECK(contains(run(repeated("#if 1\n", deep)).errors, "has no #endif"));
  CHECK(run(repeated("#if 1\n", deep) + repeated("#endif\n", deep)).errors.empty());

  std::string doubling = "#define a0 x\n";
  for (int i = 1; i < 40; ++i) {
    const std::string before = "a" + std::to_string(i - 1);
    doubling += "#define a" + std::to_string(i) + " " + before + " " + before + "\n";
  }
  CHECK(contains(run(doubling + "a39").errors, "more than 10 million tokens"));
  CHECK(run("#define a b\n#define b a\na b").output == "a b");
}

TEST_CASE("preprocessor: a file that includes itself is cut off") {
  const fs::path path = fs::temp_directory_path() / "cmc_self_include.pml";
  const std::string text = "#include \"cmc_self_include.pml\"\n#include \"cmc_self_include.pml\"\n";
  FILE* const file = fopen(path.c_str(), "w");
  REQUIRE(file != nullptr);
  fputs(text.c_str(), file);
  fclose(file);
  const OutputLines lines = our_lines(path.string());
  fs::remove(path);
  REQUIRE(!lines.empty());
  CHECK(contains(lines.back(), "#include is nested too deeply"));
}

TEST_CASE("preprocessor: random bytes and damaged directives never crash it") {
  std::mt19937 random(1);
  const std::vector<std::string> pieces = {"#define f(x) #x x##x\n",
                                           "f(",
                                           ")",
                                           ",",
                                           "#if ",
                                           "#else\n",
                                           "#endif\n",
                                           "\n",
                                           "\\\n",
                                           "\"",
                                           "'",
                                           "/*",
                                           "*/",
                                           "//",
                                           "#include ",
                                           "<",
                                           ">",
                                           "f",
                                           "__VA_ARGS__",
                                           "defined",
                                           "1",
                                           "0x",
                                           "##",
                                           "#",
                                           "(",
                                           "#line 3 \"x\"\n",
                                           "#define g(x, ...) f(x)\n",
                                           "g",
                                           std::string(1, '\0'),
                                           "\xff",
                                           "\xc3\xa9",
                                           " ",
                                           "#undef f\n",
                                           "#elif ",
                                           "?",
                                           ":",
                                           "/",
                                           "%",
                                           "#define h g\n",
                                           "h",
                                           "__LINE__",
                                           "#define f f(h\n"};
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (uint_fast32_t count = random() % 40; count > 0; --count) text += pieces[random() % pieces.size()];
    if (i % 3 == 0) text += static_cast<char>(random() % 256);
    run(text);
  }
}

}  // namespace cmc::promela
