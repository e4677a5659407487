#include <nlohmann/json.hpp>

#include "checker/trace/recorder.h"
#include "checker/trace/views/itf.h"
#include "checker/trace/views/lanes.h"
#include "checker/trace/views/markup.h"
#include "checker/trace/views/page.h"
#include "checker/trace/views/trace_json.h"
#include "tests/trace/run.h"

#include "tests/catch.h"

namespace cmc {
namespace {

// Processes that begin and end, own channels, arrays, structures, a rendezvous, random receives, printing.
constexpr const char* kBusy = R"(
mtype = { ack, nak };
typedef T { byte b[2]; int i };
T t[2];
chan q = [3] of { mtype, byte };
chan r = [0] of { byte };
byte n;
proctype Child(byte k) {
  chan own = [1] of { byte };
  own!k; own?k; q!ack(k); r!k
}
init {
  run Child(3);
  t[1].b[1] = 4; t[0].i = -5;
  q!nak(1); q!nak(2);
  q??ack(n);
  r?n;
  printf("n is %d\n", n);
  _nr_pr == 1;
  q?nak,n;
  run Child(7);
  q?nak,n;
  q?ack,n;
  assert(n != 7)
}
)";

// A text that breaks out of whatever does not escape it.
constexpr const char* kHostile =
    "mtype = { ack };\nchan q = [2] of { mtype };\nbyte x;\n"
    "active proctype P() { printf(\"\xff\xc3</script><img src=x onerror=alert(1)>&\\\"'%%{{title}}\\x01;#\\n\"); "
    "q!ack; x = "
    "1 }\n"
    "active proctype Q() { q?ack; assert(x > 1 && x < 1) }\n";

Model model_of(const char* text) { return compile_text(text); }

TraceSource source() { return {"a<b>&\"c\".pml", "0123"}; }

std::string count_of(const std::string& text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return std::to_string(count);
}

TEST_CASE("views: the steps applied give the states of the replay") {
  const Model model = model_of(kBusy);
  const SearchResult result = search_model(model);
  const auto referee = make_reference_generator(model);
  TraceRecorder recorder(model);
  StateImage state;
  uint64_t number = 0;
  const Result<ReplayEnd> end = replay_path(*referee, result.errors.at(0).path, [&](const ReplayEvent& event) {
    if (number++ == 0) {
      recorder.start(event.before);
      state = recorder.state();
    }
    apply(recorder.record({number, event.step, event.before, event.after, event.errors}), state);
    const StateImage right = decode_state(model, event.after.empty() ? event.before : event.after);
    REQUIRE(state.globals == right.globals);
    REQUIRE(state.channels == right.channels);
    REQUIRE(state.processes == right.processes);
    REQUIRE(state.atomic_holder == right.atomic_holder);
  });
  REQUIRE(end.ok());
  CHECK(number > 15);
}

TEST_CASE("views: a received message knows who sent it") {
  const Model model = model_of(kBusy);
  const Trace trace = trace_of(model);
  std::map<uint64_t, std::string> sent;
  size_t received = 0;
  for (const TraceStep& step : trace.steps) {
    if (!step.message) continue;
    const std::string message = step.message->channel + contents_text(step.message->fields);
    if (step.message->kind == TraceMessage::Kind::kSent) sent[step.number] = message;
    if (step.message->kind != TraceMessage::Kind::kReceived) continue;
    ++received;
    CHECK(sent[step.message->sent_at] == message);
  }
  CHECK(received >= 4);
}

TEST_CASE("views: the JSON of a trace is what its text says") {
  const Model model = model_of(kBusy);
  const Trace trace = trace_of(model);
  const Trace* const list[] = {&trace, &trace};
  const auto json = nlohmann::json::parse(trace_json(model, list, source()));
  CHECK(json["schema"] == "cmc.trace/1");
  CHECK(json["model"]["file"] == source().model_file);
  REQUIRE(json["traces"].size() == 2);
  const auto& first = json["traces"][0];
  CHECK(first["cause"]["kind"] == "assertion");
  CHECK(first["steps"].size() == trace.steps.size());
  CHECK(first["initial"]["globals"]["t[1].b[1]"] == 0);
  CHECK(first["final"]["globals"]["t[1].b[1]"] == 4);
  CHECK(first["final"]["globals"]["n"] == 7);
  CHECK(first["final"]["channels"]["q"]["capacity"] == 3);
  CHECK(first["steps"][0]["kind"] == "run");
  CHECK(first["steps"][0]["changes"][0]["event"] == "starts");
  CHECK(first["steps"][0]["changes"][0]["begins"]["locals"]["k"] == 3);
  CHECK(first["cause"]["processes"][0]["process"] == "init[0]");
}

TEST_CASE("views: a part of a trace begins in the right state") {
  const Model model = model_of(kBusy);
  const SearchResult result = search_model(model);
  const auto referee = make_reference_generator(model);
  const Result<Trace> all = make_trace(model, result.errors.at(0), *referee, 0, {});
  const Result<Trace> some = make_trace(model, result.errors.at(0), *referee, 4, {});
  REQUIRE((all.ok() && some.ok()));
  REQUIRE(some.value().steps.size() == 4);
  CHECK(some.value().left_out + 4 == all.value().steps.size());
  StateImage state = some.value().initial;
  for (const TraceStep& step : some.value().steps) apply(step, state);
  CHECK(state.processes == all.value().final_state.processes);
  CHECK(state.channels == all.value().final_state.channels);
  CHECK(some.value().explanation.lines == all.value().explanation.lines);
}

TEST_CASE("views: hostile texts do not break out of a view") {
  const Model model = model_of(kHostile);
  const Trace trace = trace_of(model);
  const Trace* const list[] = {&trace};
  const SourceText text{source().model_file, kHostile};
  const std::string page = trace_page(model, list, source(), std::span(&text, 1));
  CHECK(count_of(page, "</script>") == "2");
  CHECK(!contains(page, "<img"));
  CHECK(contains(page, "<title>a&lt;b&gt;&amp;&quot;c&quot;.pml: assertion"));
  const std::string data = page_data(model, list, source(), std::span(&text, 1));
  CHECK(!contains(data, "<"));
  const auto json = nlohmann::json::parse(data);
  CHECK(contains(json["sources"][0]["text"].get<std::string>(), "</script><img src=x"));
  const std::string svg = svg_chart(trace);
  CHECK(!contains(svg, "<img"));
  CHECK(valid_utf8(svg) == svg);
  CHECK(!contains(svg, " && "));
  CHECK(!contains(svg, "x < 1"));
  const std::string mermaid = mermaid_chart(trace);
  CHECK(!contains(mermaid, "<"));
  CHECK(nlohmann::json::parse(trace_json(model, list, source()))["traces"].size() == 1);
  CHECK(nlohmann::json::parse(itf_trace(trace, source()))["states"].size() > 3);
}

TEST_CASE("views: bytes that are no UTF-8 are replaced") {
  CHECK(valid_utf8("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80") == "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
  for (const char* const bad :
       {"\xff", "\xc0\x80", "\xc3", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe0\x80\x80", "\x80"}) {
    CHECK(valid_utf8(bad).starts_with("\xef\xbf\xbd"));
  }
  CHECK(valid_utf8("\xe2\x82z") == "\xef\xbf\xbdz");
  CHECK(escaped_markup("<a b='\x01'>&") == "&lt;a b=&#39;\xef\xbf\xbd&#39;&gt;&amp;");
}

TEST_CASE("views: arrays and structures are sequences and records in ITF") {
  const Model model = model_of(kBusy);
  const Trace trace = trace_of(model);
  const auto json = nlohmann::json::parse(itf_trace(trace, source()));
  CHECK(json["vars"] == std::vector<std::string>{"t", "q", "r", "n", "channels", "processes", "step"});
  const auto& states = json["states"];
  CHECK(states[0]["t"][1]["b"] == std::vector<int>{0, 0});
  CHECK(states.back()["t"][1]["b"] == std::vector<int>{0, 4});
  CHECK(states.back()["t"][0]["i"] == -5);
  for (size_t i = 0; i < states.size(); ++i) CHECK(states[i]["#meta"]["index"] == i);
}

TEST_CASE("views: a chart has an arrow from each send to its receive") {
  const Model model = model_of(
      "chan q = [1] of { byte }; chan r = [0] of { byte };\n"
      "active proctype P() { q!7; r!8 }\n"
      "active proctype Q() { byte n; q?n; r?n; assert(n == 7) }\n");
  const std::string mermaid = mermaid_chart(trace_of(model));
  INFO(mermaid);
  CHECK(contains(mermaid, "sequenceDiagram\n    participant p0 as P[0]\n    participant p1 as Q[1]\n"));
  CHECK(contains(mermaid, "p0-)p1: 2 q?n, Q[1].n: 0 -#gt; 7 (sent at 1)\n"));
  CHECK(contains(mermaid, "p0->>p1: 3 r!8, Q[1].n: 7 -#gt; 8\n"));
  CHECK(contains(mermaid, "Note over p0,p1: assertion violated"));
}

TEST_CASE("views: only steps are shown that have to do with the names") {
  const Model model = model_of(kBusy);
  const Trace trace = trace_of(model);
  TraceOptions options;
  options.only = {"t"};
  const std::string t = text_of(model, trace, options);
  INFO(t);
  CHECK(contains(t, "t[1].b[1]: 0 -> 4"));
  CHECK(!contains(t, "own!k"));
  CHECK(contains(t, "with nothing of --only"));
  options.only = {"Child"};
  const std::string child = text_of(model, trace, options);
  CHECK(contains(child, "own!k"));
  CHECK(!contains(child, "t[1].b[1]: 0"));
  options.only = {"q"};
  const std::string q = text_of(model, trace, options);
  CHECK(contains(q, "-> q"));
  CHECK(!contains(q, "own!k"));
  for (const char* const good : {"q", "t[1].b", "Child", "Child[1].k", "k", "own", "init"}) {
    CHECK(check_step_filter(model, {good}).ok());
  }
  CHECK(!check_step_filter(model, {"nothing"}).ok());
}

}  // namespace
}  // namespace cmc
