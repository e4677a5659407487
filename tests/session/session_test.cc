#include "checker/session/session.h"

#include <memory>

#include "checker/check/search.h"
#include "checker/session/breakpoints.h"
#include "checker/session/console.h"
#include "checker/session/find.h"
#include "checker/spin/trail.h"
#include "checker/trace/trail.h"

#include "tests/catch.h"

namespace cmc::session {
namespace {

// A model with everything that walks through it.
struct Rig {
  explicit Rig(const std::string& text) : loaded(load(text)) {}
  static LoadedModel load(const std::string& text) {
    promela::Sources sources;
    const uint32_t file = sources.add("model.pml", text);
    std::string messages;
    std::optional<LoadedModel> loaded = compile_model({}, std::move(sources), file, messages);
    INFO(messages);
    REQUIRE(loaded);
    return std::move(*loaded);
  }
  [[nodiscard]] Bytes state() const { return {run.state().begin(), run.state().end()}; }
  [[nodiscard]] std::string value(const std::string& text, uint8_t pid = kNoProcess) {
    const Result<Expression> expression = run.read(text, pid);
    return expression.ok() ? expression.value().text(run.state(), pid).value_or("none") : expression.error();
  }
  std::string type(const std::string& line, uint8_t pid = kNoProcess) {
    const Console::Answer answer = console.execute(line, pid);
    return answer.is_known ? answer.text : "unknown";
  }
  void walk(uint64_t choices) {
    while (choices-- > 0 && run.plan(random)) run.forward();
  }

  LoadedModel loaded;
  std::unique_ptr<SuccessorGenerator> statements = make_statement_generator({}, loaded.model, nullptr);
  Session run{loaded, *statements, nullptr};
  Breakpoints breakpoints{run};
  Random random{7};
  std::atomic<bool> interrupted = false;
  Console console{run, breakpoints, random, nullptr, interrupted};
};

const char* const kQueue = R"(#define MOST 3
mtype = { red, green };
byte n; mtype lamp = red;
chan q = [2] of { byte, mtype }; chan r = [0] of { byte };
active proctype P() {
  byte mine[2];
  do
  :: n < MOST -> n++; q!n,green
  :: atomic { n > 0 -> n--; mine[1] = n }
  :: r!n
  od
}
active proctype Q() {
  byte got; byte x;
  do :: q?got,lamp :: r?x :: d_step { got > 1 -> got = 0; lamp = red } od
}
)";
const char* const kFails = "byte x; active [2] proctype P() { byte t; t = x; t++; x = t; assert(x < 2) }";
const char* const kStuck =
    "chan q = [1] of { byte }; active proctype P() { q!1; q!2 } active proctype R() { end: q?3 }";

TEST_CASE("session: a random walk of 1,000 steps forth and back ends in the same state") {
  for (const char* const text : {kQueue, kFails, kStuck}) {
    Rig walk(text);
    std::vector<Bytes> states = {walk.state()};
    while (states.size() <= 2500 && walk.run.plan(walk.random)) {
      walk.run.forward();
      states.push_back(walk.state());
    }
    CHECK(walk.run.position() == states.size() - 1);
    const uint64_t end = walk.run.position();
    for (uint64_t back = 0; back < std::min<uint64_t>(end, 1000); ++back) {
      walk.run.go_to(walk.run.position() - 1);
      CHECK(walk.state() == states[walk.run.position()]);
    }
    for (const uint64_t position : {uint64_t{0}, end / 2, end, end / 3, uint64_t{0}, end}) {
      walk.run.go_to(position);
      CHECK(walk.run.position() == position);
      CHECK(walk.state() == states[position]);
      CHECK(walk.run.length() == end);
    }
  }
}

TEST_CASE("session: another choice forgets what was ahead, the same one does not") {
  Rig walk(kQueue);
  walk.walk(2100);
  walk.run.go_to(1500);
  const uint64_t before = walk.run.length();
  while (walk.run.choices().size() < 2) walk.run.go_to(walk.run.position() + 1);
  const auto index = static_cast<size_t>(walk.run.next() - walk.run.choices().data());
  const uint64_t position = walk.run.position();
  walk.run.choose(index);
  CHECK(walk.run.length() == before);
  walk.run.go_to(position);
  walk.run.choose(index == 0 ? 1 : 0);
  CHECK(walk.run.length() == position + 1);
  const Bytes state = walk.state();
  walk.run.go_to(0);
  walk.run.go_to(position + 1);
  CHECK(walk.state() == state);
}

TEST_CASE("session: the ends of runs are told apart, and explained") {
  Rig stuck(kStuck);
  CHECK(stuck.run.end() == Session::End::kNone);
  stuck.walk(10);
  CHECK(stuck.run.end() == Session::End::kInvalidEnd);
  CHECK(stuck.run.end_text() == "invalid end state: no process can move");
  CHECK(stuck.run.explain().lines.front().starts_with("P[0] waits"));
  CHECK(stuck.run.waiting().size() == 2);

  Rig fails(kFails);
  while (fails.run.end() == Session::End::kNone && fails.run.plan(fails.random)) fails.run.forward();
  CHECK((fails.run.end() == Session::End::kError || fails.run.end() == Session::End::kEnded));
  const Result<Expression> failed = fails.run.read("x == 2", kNoProcess);
  fails.run.go_to(0);
  Limits limits;
  REQUIRE(find(fails.run, failed.value(), kNoProcess, limits).value().outcome == Found::Outcome::kFound);
  fails.walk(1);
  CHECK(fails.run.end_text().starts_with("error: assertion violated"));
  CHECK(fails.run.errors().size() == 1);

  Rig none("byte a[2]; byte i = 5; byte x = a[i]; active proctype P() { skip }");
  CHECK(none.run.end() == Session::End::kError);
  CHECK(none.run.choices().empty());
  CHECK(none.run.waiting().empty());
}

TEST_CASE("session: a choice says what it would change, and is recorded so") {
  Rig walk(kQueue);
  walk.walk(300);
  for (size_t i = 0; i < walk.run.choices().size(); ++i) {
    const std::vector<TraceStep> looked = walk.run.look_at(i);
    const uint64_t position = walk.run.position();
    walk.run.choose(i);
    const std::vector<TraceStep> taken = walk.run.last_steps();
    REQUIRE(looked.size() == taken.size());
    CHECK(looked.back().number == taken.back().number);
    CHECK(looked.back().text == taken.back().text);
    CHECK(change_texts(looked.back()) == change_texts(taken.back()));
    walk.run.go_to(position);
  }
  const Trace trace = walk.run.trace(100);
  CHECK(trace.left_out == 200);
  StateImage image = trace.initial;
  for (const TraceStep& step : trace.steps) apply(step, image);
  CHECK(image.globals == decode_state(walk.loaded.model, walk.run.state()).globals);
}

TEST_CASE("session: trails of CMC and of SPIN are walked, others are refused") {
  Rig walk(kQueue);
  walk.walk(1200);
  const Bytes state = walk.state();
  std::vector<Step> path;
  Trail trail;
  trail.model_file = "model.pml";
  trail.steps = "statement";
  trail.error.kind = "assertion";
  walk.run.go_to(0);
  while (walk.run.position() < 1200) {
    walk.run.forward();
    const std::vector<TraceStep> texts = walk.run.last_steps();
    for (size_t i = 0; i < texts.size(); ++i) {
      path.push_back(walk.run.last_choice()[i]);
      trail.add(path.back(), texts[i].text);
      trail.add(Step{}, {});  // a move of a claim
    }
  }
  const Result<std::string> of_spin = spin::trail_text(walk.loaded.model, *walk.statements, path, 1000);
  REQUIRE(of_spin.ok());
  for (const std::string& text : {trail_json(trail), of_spin.value()}) {
    Rig other(kQueue);
    const Status loaded = other.run.load(text);
    INFO((loaded.ok() ? "" : loaded.error()));
    REQUIRE(loaded.ok());
    CHECK(other.run.position() == 0);
    CHECK(other.run.length() == 1200);
    other.run.go_to(1200);
    CHECK(other.state() == state);
    Rig wrong(kStuck);
    CHECK(!wrong.run.load(text).ok());
    CHECK(wrong.run.length() == 0);
    CHECK(wrong.run.choices().size() == 1);
  }
  Rig other(kQueue);
  CHECK(other.run.load(of_spin.value()).ok());
  CHECK(other.run.loop_start() == std::optional<uint64_t>(1000));
  for (size_t cut = 0; cut < of_spin.value().size(); cut += 97) {
    static_cast<void>(other.run.load(of_spin.value().substr(0, cut)).ok());
    other.run.go_to(other.run.length());
  }
}

TEST_CASE("session: expressions are the model's, with macros, and with variables of a process") {
  Rig walk(kQueue);
  CHECK(walk.value("n + MOST * 2") == "6");
  CHECK(walk.value("lamp") == "red");
  CHECK(walk.value("q") == "q");
  CHECK(walk.value("(len(q) == 0 && empty(q) -> 7 : 8)") == "7");
  CHECK(walk.value("_nr_pr") == "2");
  CHECK(walk.value("mine[1]", 0) == "0");
  CHECK(walk.value("mine[n + 2]", 0) == "none");
  CHECK(walk.value("_pid", 1) == "1");
  CHECK(walk.value("Q[1]:got == got", 1) == "1");
  CHECK(walk.value("mine[1]", 1) == "'mine[1]': undeclared variable 'mine'");
  CHECK(walk.value("mine").find("undeclared variable 'mine'") != std::string::npos);
  CHECK(walk.value("mine", 0) == "'mine': 'mine' is an array; an index is missing");
  CHECK(walk.value("[] n", 0).find("expected an expression") != std::string::npos);
  CHECK(walk.value("n = 3").find("expected the end of the expression") != std::string::npos);
  CHECK(walk.value("run Q()", 0).find("'run' is a statement of its own") != std::string::npos);
  CHECK(walk.value("1 +").find("expected an expression") != std::string::npos);
  CHECK(walk.value("n } active proctype Z() { skip").find("expected the end") != std::string::npos);
  CHECK(walk.value("/*").starts_with("'/*':"));
  CHECK(walk.value("n\n#define n lamp").find("error") == std::string::npos);
  CHECK(walk.value("1 / n") == "none");

  Rig ended("active proctype P() { byte x = 3; x++ }");
  const Result<Expression> x = ended.run.read("x", 0);
  ended.walk(9);
  CHECK(ended.run.end() == Session::End::kEnded);
  CHECK(!x.value().value(ended.run.state(), 0));
  CHECK(ended.value("_nr_pr") == "0");
}

TEST_CASE("session: any text is an expression or is refused") {
  Rig walk(kQueue);
  const std::string pieces[] = {
      "n",    "mine[",   "]",  "1",   "q?[",        "len(q)",       "MOST",  "(",   ")",     " -> ", ":",
      "-",    "!",       "&&", "run", "#define n ", "\n",           "/*",    "*/",  "\"",    "'",    "P[0]:mine[0]",
      "Q@L",  "timeout", "{",  "}",   "enabled(0)", "c_expr { 1 }", "_last", "np_", "eval(", ";",    "lamp == red",
      "\\\n", "7"};
  size_t read = 0;
  for (uint64_t i = 0; i < 4000; ++i) {
    std::string text;
    for (uint64_t length = walk.random() % 6; length > 0; --length) text += pieces[walk.random() % std::size(pieces)];
    const auto pid = static_cast<uint8_t>(walk.random() % 3 == 0 ? kNoProcess : walk.random() % 2);
    const Result<Expression> expression = walk.run.read(text, pid);
    if (!expression.ok()) continue;
    ++read;
    static_cast<void>(expression.value().text(walk.run.state(), pid));
    walk.walk(1);
  }
  CHECK(read > 100);
}

TEST_CASE("session: a label of a jump is only asked for where the model does so") {
  Rig walk("active proctype P() { skip; L: goto M; M: skip }");
  CHECK(walk.value("P@M") == "0");
  CHECK(walk.value("P@L").find("only be asked for if") != std::string::npos);
}

TEST_CASE("session: the nearest state is found, or none of all") {
  Rig walk(kQueue);
  const auto look = [&](const std::string& text, uint8_t pid = kNoProcess) {
    Limits limits;
    return find(walk.run, walk.run.read(text, pid).value(), pid, limits).value();
  };
  CHECK(look("n == 0").outcome == Found::Outcome::kFound);
  CHECK(walk.run.position() == 0);
  CHECK(look("len(q) == 2 && n == 2").outcome == Found::Outcome::kFound);
  CHECK(walk.run.position() == 6);
  CHECK(walk.value("len(q)") == "2");
  CHECK(look("got == 2 && x == 3", 1).outcome == Found::Outcome::kFound);
  CHECK(walk.value("got * 10 + x", 1) == "23");
  const uint64_t position = walk.run.position();
  const Found none = look("n > 3");
  CHECK(none.outcome == Found::Outcome::kNowhere);
  CHECK(none.states > 1000);
  CHECK(walk.run.position() == position);
  Limits short_time({0, 1e-9, nullptr});
  CHECK(find(walk.run, walk.run.read("n > 3", kNoProcess).value(), kNoProcess, short_time).value().outcome ==
        Found::Outcome::kLimit);
}

TEST_CASE("session: a state that cannot be evaluated ends runs and searches") {
  Rig walk(
      "byte i; byte a[2]; active proctype P() provided (a[i] == 0) { i = 2; i = 3; i = 4 } "
      "active proctype Q() { skip; skip }");
  Limits limits;
  const Found found = find(walk.run, walk.run.read("i == 3", kNoProcess).value(), kNoProcess, limits).value();
  CHECK(found.outcome == Found::Outcome::kNowhere);
  CHECK(find(walk.run, walk.run.read("i == 2", kNoProcess).value(), kNoProcess, limits).value().outcome ==
        Found::Outcome::kFound);
  CHECK(walk.run.end() == Session::End::kError);
  CHECK(walk.run.choices().empty());
  CHECK(walk.type("back") == "  back at the start\n");
}

TEST_CASE("session: breakpoints stop a run forwards, and backwards at the same places") {
  Rig walk(kQueue);
  CHECK(line_with_statement(walk.loaded.model, 0, 1) == std::optional<uint32_t>(8));
  CHECK(line_with_statement(walk.loaded.model, 0, 11) == std::optional<uint32_t>(15));
  CHECK(!line_with_statement(walk.loaded.model, 0, 99));
  CHECK(walk.type("break 1 if n == 2") == "  breakpoint 1: break at model.pml:8 if n == 2\n");
  CHECK(walk.type("watch lamp") == "  breakpoint 2: watch lamp\n");
  CHECK(walk.type("break mine[1] == 2", 0) == "  breakpoint 3: break when mine[1] == 2 of process 0\n");
  CHECK(walk.type("break 99") == "  model.pml has no statement from line 99 on\n");
  CHECK(walk.type("break other.pml:3") == "  the model has no file 'other.pml'\n");
  CHECK(walk.type("break 8 if nothing").starts_with("  'nothing': undeclared"));
  CHECK(walk.type("watch nothing").starts_with("  'nothing': undeclared"));
  std::vector<uint64_t> stops;
  while (walk.run.position() < 3000) {
    const Stop stop = run(walk.run, walk.breakpoints, walk.random, {});
    REQUIRE(stop.reason == Stop::Reason::kBreakpoint);
    stops.push_back(walk.run.position());
    if (stop.breakpoint == 1) CHECK(walk.value("n") == "2");
    if (stop.breakpoint == 3) CHECK(walk.value("mine[1]", 0) == "2");
  }
  CHECK(stops.size() > 100);
  // Backwards the run stops before what it stopped at, or behind.
  std::vector<uint64_t> back;
  while (walk.run.back_until([&] { return walk.breakpoints.at_next(); })) back.push_back(walk.run.position());
  CHECK(walk.run.position() == 0);
  for (const uint64_t position : back) {
    const auto near = [&](uint64_t stop) { return stop == position || stop == position + 1; };
    CHECK(std::ranges::any_of(stops, near));
  }
  CHECK(walk.type("d 1").empty());
  CHECK(walk.type("d 1") == "  there is no breakpoint 1\n");
  walk.breakpoints.remove_if([](const Breakpoint&) { return true; });
  Breakpoint third{Breakpoint::Kind::kLine, 0, 10, "", kNoProcess, "", 3, 0};
  REQUIRE(walk.breakpoints.add(third).ok());
  CHECK(run(walk.run, walk.breakpoints, walk.random, {}).reason == Stop::Reason::kBreakpoint);
  CHECK(walk.breakpoints.all().begin()->second.hits == 3);
}

TEST_CASE("session: a proctype that starts is a breakpoint") {
  Rig walk("proctype W(byte n) { skip } init { skip; run W(3); run W(4) }");
  CHECK(walk.type("break W") == "  breakpoint 1: break when a W starts\n");
  walk.type("run");
  CHECK(walk.value("n", 1) == "3");
  walk.type("run");
  CHECK(walk.run.position() < 8);
}

TEST_CASE("session: what is typed is a command, or is said to be none") {
  Rig walk(kStuck);
  for (const char* const line : {"", "b x", "goto", "state now", "finds x", "7", "find", "\t"})
    CHECK(walk.type(line) == "unknown");
  CHECK(walk.type("b") == "  back at the start\n");
  CHECK(walk.type("goto 3") == "  there are 0 choices so far\n");
  CHECK(walk.type("find len(q) == 1").empty());
  CHECK(walk.type(" why ").find("P[0] at model.pml:1 waits for room in q") != std::string::npos);
  CHECK(walk.type("find len(q) == 2").starts_with("  it holds in none of the 1 state"));
  CHECK(walk.type("p len(q)") == "  1\n");
  CHECK(walk.type("break") == "  there are no breakpoints\n");
  CHECK(walk.type("s").find("q holds 1 of 1") != std::string::npos);
  CHECK(walk.type("help").find("nearest state") != std::string::npos);
  walk.interrupted = true;
  CHECK(walk.type("b").empty() == false);
  CHECK(walk.type("run").empty());
  CHECK(walk.run.position() == 0);
}

}  // namespace
}  // namespace cmc::session
