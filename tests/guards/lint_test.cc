#include "checker/guards/lint.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/clock.h"
#include "solver-bridge/oracle/in_process_oracle.h"
#include "tests/support/compile.h"

#include "tests/catch.h"

namespace cmc::guards {
namespace {

using Lines = std::vector<std::string>;

LintResult lint_text(const std::string& text, const LintOptions& options = {}) {
  const Model model = cmc::test::compile_text(text);
  const SystemClock clock;
  solver::InProcessOracle z3(2'000'000, clock);
  const std::atomic<bool> interrupted = false;
  return lint(model, z3, options, interrupted);
}

// "LINE KIND: MESSAGE" of each finding.
Lines findings(const std::string& text, const LintOptions& options = {}) {
  Lines lines;
  for (const Finding& each : lint_text(text, options).findings) {
    lines.push_back(fmt::format("{} {}: {}", each.place.line, name_of(each.kind), each.message));
  }
  return lines;
}

TEST_CASE("lint: a guard that no value of its types makes true, or false, is a finding") {
  CHECK(findings("byte x; bit b; short s;\n"
                 "active proctype P() {\n"
                 "  if\n"
                 "  :: x > 255 -> skip\n"
                 "  :: s != s + 65536 -> skip\n"
                 "  :: x == 3 && b -> skip\n"
                 "  fi;\n"
                 "  (b == 2);\n"
                 "  (x >= 0)\n"
                 "}\n") == Lines{"4 never-true: guard (x>255) is never true, so this option is never taken",
                                 "5 always-true: guard (s!=(s+65536)) is always true",
                                 "8 never-true: condition (b==2) is never true, so no process gets past it",
                                 "9 always-true: condition (x>=0) is always true, so nothing is waited for"});
}

TEST_CASE("lint: the notes say what the variables can be") {
  const LintResult result =
      lint_text("unsigned u : 3;\nactive proctype P() {\n  short s;\n  (u == 8 && s == 1)\n}\n");
  REQUIRE(result.findings.size() == 1);
  const std::vector<Finding::Note>& notes = result.findings[0].notes;
  REQUIRE(notes.size() == 2);
  CHECK(notes[0].message == "u can be 0..7");
  CHECK(notes[0].place.line == 1);
  CHECK(notes[1].message == "s can be -32768..32767");
  CHECK(notes[1].place.line == 3);
  CHECK(result.questions == 2);
  CHECK(result.undecided == 0);
}

TEST_CASE("lint: an else that is never taken is a finding") {
  CHECK(findings("mtype = { red, green }; mtype m; byte x;\n"
                 "active proctype P() {\n"
                 "  if\n"
                 "  :: m == red -> skip\n"
                 "  :: m == green || m == 0 -> skip\n"
                 "  :: else -> skip\n"
                 "  fi;\n"
                 "  if\n"
                 "  :: x = 1\n"
                 "  :: else -> x = 2\n"
                 "  fi;\n"
                 "  do\n"
                 "  :: x < 7 -> break\n"
                 "  :: else -> skip\n"
                 "  od\n"
                 "}\n") ==
        Lines{"6 else-never-taken: `else` is never taken: one of the guards before it is true in every state",
              "10 else-never-taken: `else` is never taken: x = 1 is always executable"});
}

TEST_CASE("lint: a loop over all values of its variable that never ends is a finding") {
  CHECK(findings(
            "byte i;\nactive proctype P() {\n  for (i : 0 .. 255) { skip };\n  for (i : 0 .. 254) { skip }\n}\n") ==
        Lines{"3 always-true: guard (i<=255) is always true, so `else` is never taken"});
}

TEST_CASE("lint: one cause is one finding: of a guard that is always true, its else is not another one") {
  CHECK(findings("byte x;\nactive proctype P() {\n  if\n  :: x >= 0 -> skip\n  :: else -> skip\n  fi\n}\n") ==
        Lines{"4 always-true: guard (x>=0) is always true, so `else` is never taken"});
}

TEST_CASE("lint: a guard that has no value in any state is never true, and not always true as well") {
  CHECK(findings(
            "byte b, u;\nactive proctype P() {\n  do\n  :: u / (b - b) == 1 -> skip\n  :: b < 9 -> b++\n  od\n}\n") ==
        Lines{"4 never-true: guard ((u/(b-b))==1) is never true, so this option is never taken"});
}

TEST_CASE("lint: switches of a model, channels and processes are no findings") {
  CHECK(findings("#define LOSSY 0\nchan q = [2] of { byte }; byte x;\n"
                 "active proctype P() {\n"
                 "  do\n"
                 "  :: LOSSY -> skip\n"
                 "  :: true -> break\n"
                 "  :: else -> skip\n"
                 "  od;\n"
                 "  if :: q?x -> skip :: q!1 -> skip :: len(q) == 1 || timeout -> skip :: else -> skip fi\n"
                 "}\n") == Lines{});
  // But what no channel can change is one.
  CHECK(findings("chan q = [2] of { byte }; byte x;\nactive proctype P() {\n  (x > 300 && len(q) == 1);\n"
                 "  (len(q) < 3 || q?[1]);\n  (len(q) == 1 || len(q) != 1)\n}\n") ==
        Lines{"3 never-true: condition ((x>300)&&(len(q)==1)) is never true, so no process gets past it",
              "4 always-true: condition ((len(q)<3)||q?[1]) is always true, so nothing is waited for",
              "5 always-true: condition ((len(q)==1)||(len(q)!=1)) is always true, so nothing is waited for"});
}

TEST_CASE("lint: an undefined guard is neither true nor false") {
  CHECK(findings("byte x, a[3];\nactive proctype P() {\n  (10 / x >= 0);\n  (x < 3 || a[x] == 1)\n}\n") ==
        Lines{"3 always-true: condition ((10/x)>=0) is always true, so nothing is waited for",
              "4 always-true: condition ((x<3)||(a[x]==1)) is always true, so nothing is waited for"});
}

TEST_CASE("lint: guards inside d_step, unless and inline are looked at") {
  CHECK(findings("byte x;\n"
                 "inline wait(n) {\n"
                 "  (x > 255 + n)\n"
                 "}\n"
                 "active proctype P() {\n"
                 "  d_step { x = 1; if :: x > 256 -> x = 2 :: else fi };\n"
                 "  { x = 2 } unless { x > 257 };\n"
                 "  wait(0);\n"
                 "  wait(1)\n"
                 "}\n") == Lines{"3 never-true: condition (x>(255+0)) is never true, so no process gets past it",
                                 "3 never-true: condition (x>(255+1)) is never true, so no process gets past it",
                                 "6 never-true: guard (x>256) is never true, so this option is never taken",
                                 "7 never-true: condition (x>257) is never true, so no process gets past it"});
  // One use of the inline is fine, so the text is.
  CHECK(findings("byte x;\ninline wait(n) {\n  (x > 255 + n)\n}\nactive proctype P() { wait(0); wait(-1) }\n") ==
        Lines{});
}

TEST_CASE("lint: a solver guard that never has a witness is a finding") {
  CHECK(
      findings("#define PROMELA_S 1\nbyte x, a[3]; int y;\n"
               "active proctype P() {\n"
               "  if\n"
               "  :: exists (k : 0 .. 9) (k + x == 265) -> skip\n"
               "  :: exists (k : 0 .. 9) (k + x == 264) -> skip\n"
               "  :: exists (k : 0 .. 2) (a[k] > 255) -> skip\n"
               "  :: else -> skip\n"
               "  fi;\n"
               "  least (y : x .. 3) where (y > 3);\n"
               "  choose (y : x .. 3) where (y > 2);\n"
               "  least (y : 4 .. 3) where (x == 1);\n"
               "  choose (y : 0 .. 9) where (y / x * 0 == 1)\n"
               "}\n") ==
      Lines{
          "5 never-true: guard (exists (k: 0 .. 9) (((k+x)==265))) never has a witness, so this option is never "
          "taken",
          "7 never-true: guard (exists (k: 0 .. 2) ((a[k]>255))) never has a witness, so this option is never taken",
          "10 never-true: condition least (y: x .. 3) where ((y>3)) never has a witness, so no process gets past it",
          "12 never-true: condition least (y: 4 .. 3) where ((x==1)) never has a witness, so no process gets past it",
          "13 never-true: condition choose (y: 0 .. 9) where ((((y/x)*0)==1)) never has a witness, so no process "
          "gets past it"});
}

TEST_CASE("lint: guards that overlap are findings on request") {
  const std::string text =
      "byte x; chan q = [1] of { byte };\n"
      "active proctype P() {\n"
      "  if\n"
      "  :: x > 2\n"
      "  :: x < 5\n"
      "  :: x > 200\n"
      "  :: q!1\n"
      "  fi\n"
      "}\n";
  CHECK(findings(text) == Lines{});
  CHECK(findings(text, {.overlaps = true}) ==
        Lines{"5 overlap: guard (x<5) can be true together with (x>2), for example when x = 3",
              "6 overlap: guard (x>200) can be true together with (x>2), for example when x = 201"});
}

TEST_CASE("lint: selections that are incomplete are findings on request") {
  const std::string text =
      "byte x, y;\n"
      "active proctype P() {\n"
      "  if\n"
      "  :: x > 2\n"
      "  :: y > 2\n"
      "  fi;\n"
      "  if :: x == 0 :: x != 0 fi;\n"
      "  if :: x == 0 :: else fi;\n"
      "  (x == 7)\n"
      "}\n";
  CHECK(findings(text) == Lines{});
  CHECK(findings(text, {.incomplete = true}) ==
        Lines{"3 incomplete: no guard of this selection need be true, for example when x = 0, y = 0"});
}

// Answers nothing.
class NoOracle final : public solver::GuardOracle {
 public:
  solver::Ticket submit(solver::Query) override { return ++tickets_; }
  [[nodiscard]] size_t pending() const override { return tickets_ - answered_; }

 private:
  std::vector<solver::Completed> collect(double) override {
    std::vector<solver::Completed> all;
    while (answered_ < tickets_) all.push_back({++answered_, solver::Answer::unknown("tired")});
    return all;
  }
  solver::Ticket tickets_ = 0;
  solver::Ticket answered_ = 0;
};

TEST_CASE("lint: what the solver does not know is no finding") {
  const Model model =
      cmc::test::compile_text("byte x;\nactive proctype P() { (x > 255); if :: x >= 0 :: else fi }\n");
  NoOracle oracle;
  const std::atomic<bool> interrupted = false;
  const LintResult result = lint(model, oracle, {.overlaps = true, .incomplete = true}, interrupted);
  CHECK(result.findings.empty());
  CHECK(result.undecided == result.questions);
  CHECK(result.questions == 5);
}

TEST_CASE("lint: an interrupted analysis ends, with what it has") {
  const Model model = cmc::test::compile_text("byte x;\nactive proctype P() { (x > 255) }\n");
  NoOracle oracle;
  const std::atomic<bool> interrupted = true;
  CHECK(lint(model, oracle, {}, interrupted).findings.empty());
}

}  // namespace
}  // namespace cmc::guards
