#include "promela/text/diagnostic.h"

#include "tests/catch.h"

namespace cmc::promela {
namespace {

std::string rendered(const std::string& text, uint32_t line, uint32_t column, bool color = false) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const uint32_t file = sources.add("a.pml", text);
  diagnostics.error({{file, line, column}, 0}, "wrong");
  return diagnostics.render(color);
}

}  // namespace

TEST_CASE("diagnostic: the caret stands below the column, also behind tabs and letters of several bytes") {
  CHECK(rendered("ab cd", 1, 4) == "a.pml:1:4: error: wrong\nab cd\n   ^\n1 error generated.\n");
  CHECK(rendered("\tx", 1, 2) == "a.pml:1:2: error: wrong\n        x\n        ^\n1 error generated.\n");
  CHECK(rendered("\xc3\xa9 x", 1, 4) == "a.pml:1:4: error: wrong\n\xc3\xa9 x\n  ^\n1 error generated.\n");
}

TEST_CASE("diagnostic: places outside the text do not crash the rendering") {
  CHECK(rendered("ab", 1, 99) == "a.pml:1:99: error: wrong\nab\n  ^\n1 error generated.\n");
  CHECK(rendered("ab", 7, 1) == "a.pml:7:1: error: wrong\n\n^\n1 error generated.\n");
  CHECK(rendered("ab", 0, 0) == "error: wrong\n1 error generated.\n");
}

TEST_CASE("diagnostic: control characters are shown as question marks") {
  CHECK(rendered(std::string("a\x01\x1b[2Jb\0c", 9), 1, 1).find("a??[2Jb?c\n") != std::string::npos);
}

TEST_CASE("diagnostic: a long line is cut around the caret") {
  std::string text(100'000, 'x');
  text[50'000] = '!';
  const std::string result = rendered(text, 1, 50'001);
  CHECK(result.size() < 400);
  const size_t line = result.find('\n') + 1;
  const size_t carets = result.find('\n', line) + 1;
  CHECK(result[line + (result.find('^') - carets)] == '!');
}

TEST_CASE("diagnostic: a long name is cut in its middle") {
  Sources sources;
  Diagnostics diagnostics(sources);
  std::string name;
  for (int i = 0; i < 1000; ++i) name += "\xe2\x82\xac";
  diagnostics.error({}, "no '" + name + "' is there");
  diagnostics.note({}, name);
  diagnostics.warning({}, std::string(100'000, 'x'));
  const std::string text = diagnostics.render(false);
  CHECK(text.size() < 3200);
  CHECK(text.find("\xe2\x82\xac ... \xe2\x82\xac") != std::string::npos);
  CHECK(text.find("\xe2\x82\xac' is there\n") != std::string::npos);
}

TEST_CASE("diagnostic: colours are those of clang") {
  CHECK(rendered("x", 1, 1, true) ==
        "\033[1ma.pml:1:1: \033[0;1;31merror: \033[0m\033[1mwrong\033[0m\nx\n\033[0;1;32m^\033[0m\n1 error "
        "generated.\n");
}

TEST_CASE("diagnostic: includes come before, macros and inlines after the error") {
  Sources sources;
  Diagnostics diagnostics(sources);
  const uint32_t main = sources.add("main.pml", "include line\ncall line\n");
  const uint32_t header = sources.add("h.pml", "use\nouter body\ninner body\n");
  const ExpansionId include = sources.add_expansion({Expansion::Kind::kInclude, "h.pml", {main, 1, 1}, 0});
  const ExpansionId call = sources.add_expansion({Expansion::Kind::kInline, "f", {main, 2, 1}, include});
  const ExpansionId outer = sources.add_expansion({Expansion::Kind::kMacro, "OUT", {header, 2, 1}, call});
  const ExpansionId inner = sources.add_expansion({Expansion::Kind::kMacro, "IN", {header, 3, 1}, outer});
  diagnostics.warning({{header, 1, 1}, inner}, "odd");
  diagnostics.note({{main, 2, 1}, 0}, "declared here");
  CHECK(diagnostics.render(false) ==
        "In file included from main.pml:1:\n"
        "h.pml:1:1: warning: odd\nuse\n^\n"
        "h.pml:2:1: note: expanded from macro 'OUT'\nouter body\n^\n"
        "h.pml:3:1: note: expanded from macro 'IN'\ninner body\n^\n"
        "main.pml:2:1: note: in this call of inline 'f'\ncall line\n^\n"
        "main.pml:2:1: note: declared here\ncall line\n^\n"
        "1 warning generated.\n");
}

TEST_CASE("diagnostic: a chain of hundreds of expansions is shown in part") {
  Sources sources;
  Diagnostics diagnostics(sources);
  const uint32_t file = sources.add("a", "x\n");
  ExpansionId chain = 0;
  for (int i = 0; i < 500; ++i) chain = sources.add_expansion({Expansion::Kind::kMacro, "m", {file, 1, 1}, chain});
  diagnostics.error({{file, 1, 1}, chain}, "deep");
  const std::string text = diagnostics.render(false);
  CHECK(text.find("(488 expansions are not shown)") != std::string::npos);
  CHECK(text.size() < 2000);
}

TEST_CASE("diagnostic: an error that two passes find is reported once") {
  Sources sources;
  Diagnostics diagnostics(sources);
  diagnostics.error({{0, 1, 2}, 0}, "e");
  diagnostics.error({{0, 1, 2}, 0}, "e");
  CHECK(diagnostics.error_count() == 1);
  diagnostics.error({{0, 1, 3}, 0}, "e");
  CHECK(diagnostics.error_count() == 2);
}

TEST_CASE("diagnostic: the closing line counts errors and warnings, also those beyond the limit") {
  Sources sources;
  Diagnostics diagnostics(sources);
  CHECK(diagnostics.render(false).empty());
  for (int i = 0; i < 30; ++i) diagnostics.error({}, "e" + std::to_string(i));
  diagnostics.note({}, "of an error that is not kept");
  diagnostics.warning({}, "w");
  CHECK(diagnostics.too_many_errors());
  CHECK(diagnostics.error_count() == 30);
  CHECK(diagnostics.all().size() == Diagnostics::kMaxErrors + 1);
  CHECK(diagnostics.all()[Diagnostics::kMaxErrors - 1].notes.empty());
  const std::string text = diagnostics.render(false);
  CHECK(text.ends_with("30 errors and 1 warning generated.\n"));
}

TEST_CASE("diagnostic: typing errors find their word, other words find none") {
  const std::vector<std::string_view> words = {"proctype", "printf", "priority", "do"};
  CHECK(closest_match("proctpye", words) == "proctype");
  CHECK(closest_match("prinft", words) == "printf");
  CHECK(closest_match("prntf", words) == "printf");
  CHECK(closest_match("channel", words).empty());
  CHECK(closest_match("x", words).empty());
  CHECK(closest_match("", words).empty());
  CHECK(closest_match(std::string(1'000'000, 'x'), words).empty());
}

TEST_CASE("diagnostic: loading refuses directories and missing files with their names") {
  Sources sources;
  CHECK(sources.load("/tmp").error() == "'/tmp' is a directory, not a file");
  CHECK(sources.load("/no/such/file").error().find("/no/such/file") != std::string::npos);
}

TEST_CASE("diagnostic: lines are found at every edge of a text") {
  Sources sources;
  const uint32_t file = sources.add("a", "one\r\n\nthree");
  CHECK(sources.line(file, 1) == "one");
  CHECK(sources.line(file, 2).empty());
  CHECK(sources.line(file, 3) == "three");
  CHECK(sources.line(file, 4).empty());
  CHECK(sources.line(file, 0).empty());
  CHECK(sources.line(99, 1).empty());
}

}  // namespace cmc::promela
