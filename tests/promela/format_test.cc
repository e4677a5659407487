#include "promela/format/format.h"

#include <filesystem>
#include <fstream>
#include <random>

#include <fmt/format.h>

#include "tests/catch.h"

namespace cmc::promela {
namespace {

const PreprocessorOptions kPlain;

std::string laid_out(const std::string& text, const Layout& layout = {}) {
  std::string result = formatted(text, layout);
  INFO(text);
  CHECK(formatted(result, layout) == result);
  const auto different = difference(text, result, "model.pml", kPlain);
  CHECK(different.value_or("") == "");
  return result;
}

std::vector<std::string> models_in(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(CMC_SOURCE_DIR + folder)) {
    if (entry.path().extension() == ".pml") paths.push_back(entry.path());
  }
  return paths;
}

// Lines with other blanks at their beginnings, and none around some operators.
std::string disordered(const std::string& text, std::mt19937& random) {
  std::string result;
  bool directive = false;
  bool starts = true;
  for (size_t i = 0; i < text.size(); ++i) {
    if (starts) directive = text[i] == '#' || (directive && i > 1 && text[i - 2] == '\\');
    if (starts && !directive) result += std::string(random() % 7, ' ');
    starts = text[i] == '\n';
    const bool bare = !directive && text[i] == ' ' && i > 0 && text[i - 1] == ',' && random() % 2 == 0;
    if (!bare) result += text[i];
  }
  return result;
}

}  // namespace

TEST_CASE("format: processes, selections and blocks have the columns of the house") {
  CHECK(laid_out(
            "active proctype P(){\nbyte x,y;\n   again:\nend:\ndo\n    :: x<3->\nx++\n:: else ;\n y=1\n  od\n}\n") ==
        "active proctype P() {\n  byte x, y;\n  again:\nend:\n  do\n  :: x<3 ->\n       x++\n  :: else;\n     y = "
        "1\n  od\n}\n");
  CHECK(laid_out("init { atomic {\nrun P();\nif :: x -> skip\n:: y -> do\n:: z\nod\nfi } }\n") ==
        "init { atomic {\n  run P();\n  if :: x -> skip\n     :: y -> do\n        :: z\n        od\n  fi } }\n");
  CHECK(laid_out("{\n:: q\n}\n", {4, false}) == "{\n    :: q\n}\n");
  CHECK(laid_out("init{\nif\n:: a->\nb\nfi}", {8, true}) == "init {\n\tif\n\t:: a ->\n\t\tb\n\tfi}\n");
}

TEST_CASE("format: expressions and lists that go on move with their first line") {
  CHECK(laid_out("init {\nx==1 &&\ny==2;\n      (a ||\n       b)\n}\n") ==
        "init {\n  x == 1 &&\n    y == 2;\n  (a ||\n   b)\n}\n");
  CHECK(laid_out("mtype={a,\n       b,\nc\n}\n") == "mtype = {a,\n       b,\n  c\n}\n");
}

TEST_CASE("format: operators have spaces where they cannot mean something else") {
  CHECK(laid_out("init{x=-1;y=!z;a==-1&&!b;c!x;c?x->d?<x,y>;e[i+1]=0;(p->q:r)}\n") ==
        "init {x = -1; y = !z; a == -1 && !b; c!x; c?x -> d?<x, y>; e[i+1] = 0; (p -> q:r)}\n");
  CHECK(laid_out("ltl p{[]<>a&&<>!b<->c}\n") == "ltl p {[]<>a && <>!b <-> c}\n");
}

TEST_CASE("format: comments, directives and C survive") {
  const std::string text =
      "#define  LOOP  do \\\n   :: x\n/* a\n *   b */\ninit {\n#if  1\n  c_code {  int   x; /* } */\n    \"}\" ; }\n"
      "#else\n  do\n#endif\n  skip;  // trailing\n         // below\n  /* of the next */\n  x = 1\n}\n";
  const std::string result = laid_out(text);
  CHECK(result.find("#define  LOOP  do \\\n   :: x\n/* a\n *   b */\n") == 0);
  CHECK(result.find("{  int   x; /* } */\n    \"}\" ; }") != std::string::npos);
  CHECK(result.find("skip;  // trailing\n         // below\n") != std::string::npos);
  CHECK(laid_out("init {\r\n x\r\n}\r\n") == "init {\r\n  x\r\n}\r\n");
}

TEST_CASE("format: the models of the project keep their meaning, in any disorder") {
  std::mt19937 random(38);
  for (const char* const folder : {"/models", "/bench/models", "/tests/spin/cases"}) {
    for (const std::string& path : models_in(folder)) {
      INFO(path);
      std::ifstream file(path);
      const std::string text((std::istreambuf_iterator<char>(file)), {});
      const std::string result = laid_out(text);
      const std::string other = disordered(text, random);
      if (!difference(text, other, path, kPlain)) laid_out(other);
      laid_out(text, {8, true});
      laid_out(text.substr(0, random() % (text.size() + 1)));
    }
  }
}

TEST_CASE("format: any bytes are laid out, and twice is once") {
  std::mt19937 random(7);
  const std::string pieces[] = {"{",        "}",       "do\n", "od", "if ", "fi\n", "::", "(",    ")",     "->",
                                "\n",       "\t",      "/*",   "*/", "//",  "\"",   "'",  "\\\n", "#if\n", "#else\n",
                                "#endif\n", "c_code ", "x",    ";",  ",",   "=",    "\r", "\0",   "é"};
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (size_t length = random() % 40; length > 0; --length) text += pieces[random() % std::size(pieces)];
    const Layout layout{1 + static_cast<uint32_t>(random() % 8), random() % 2 == 0};
    const std::string result = formatted(text, layout);
    INFO(text);
    CHECK(formatted(result, layout) == result);
  }
}

TEST_CASE("format: the judge notices what is read differently") {
  const auto differs = [](const char* before, const char* after) {
    return difference(before, after, "model.pml", kPlain).has_value();
  };
  CHECK_FALSE(differs("x = 1;\n", "  x=1 ;\n"));
  CHECK(differs("x = 1;\n", "x = 2;\n"));
  CHECK(differs("a b;\n", "ab;\n"));
  CHECK(differs("a - > b\n", "a -> b\n"));
  CHECK(differs("x -- > y\n", "x --> y\n"));
  CHECK(differs("a\nb\n", "a b\n"));
  CHECK(differs("a /* b */\n", "a /* c */\n"));
  CHECK(differs("printf(\"a b\")\n", "printf(\"ab\")\n"));
  CHECK(differs("#define F (x) x\n", "#define F(x) x\n"));
  CHECK(differs("#define S(x) #x\nprintf(S(a+b))\n", "#define S(x) #x\nprintf(S(a + b))\n"));
  CHECK(differs("#if 0\na b\n#endif\n", "#if 0\nab\n#endif\n"));
}

}  // namespace cmc::promela
