#include <string>

#include "ir/print.h"
#include "tests/promela/front_end.h"

#include "tests/catch.h"

// What never claims, traces and notraces may contain, and what is said about it. The rules are those of SPIN 6.5.2.
// Their states and edges: golden/claims.pml, golden/traces.pml, and tests/spin/compare_state_machines.py.

namespace cmc::promela {
namespace {

// A claim on line 2.
std::string messages(const std::string& globals, const std::string& claim) {
  return Compiled(globals + "\n" + claim + "\n").messages;
}

const std::string kTwo =
    "byte x, y; chan q = [2] of { byte }; active proctype P() { byte k; lab: do :: x++; k = x :: q!x :: q?x od }";

bool claim_accepted(const std::string& claim) {
  const Compiled compiled(kTwo + "\n" + claim + "\n");
  INFO(claim << "\n" << compiled.messages);
  CHECK(compiled.messages.empty());
  return compiled.model.has_value();
}

}  // namespace

// ------------------------------------------------------------------------------------------------ never claims

TEST_CASE("claims and traces: never claims may use all that observes") {
  CHECK(claim_accepted("never { do :: P@lab -> break :: else od }"));
  CHECK(claim_accepted("never { do :: P[0]:k == 2 && P[x]@lab :: timeout :: !np_ od }"));
  CHECK(claim_accepted(
      "never { do :: _last == 1 :: enabled(0) :: pc_value(0) == 2 :: _nr_pr == 1 :: q?[1] :: full(q) od }"));
  CHECK(claim_accepted(
      "never { byte c = 2, d; d = c; do :: c < 5 -> c++ :: d_step { x == 1; d = 1 } :: atomic { x == 2; c = "
      "1 } od }"));
  CHECK(claim_accepted(
      "never { end: if :: assert(x != 2) :: goto away fi; away: progress1: skip; accept: do :: true od }"));
  CHECK(claim_accepted("never { { do :: x == 1 od } unless { x == 2 -> skip }; printf(\"%d\\n\", x) }"));
  CHECK(claim_accepted("never { byte i; for (i : 1 .. 3) { x == i } select (i : 1 .. 2) }"));
  CHECK(claim_accepted("never { byte c }"));
}

TEST_CASE("claims and traces: never claims neither communicate nor act on processes") {
  const std::string words =
      "error: a never claim cannot send or receive (SPIN refuses this model, too); to test for a message write "
      "q?[...]\n";
  CHECK(messages(kTwo, "never { do :: q!1 od }") == "2:15: " + words);
  CHECK(messages(kTwo, "never { q?_ }") == "2:9: " + words);
  CHECK(messages(kTwo, "never { atomic { x == 1; q?<_> } }") == "2:26: " + words);
  CHECK(messages(kTwo, "never { d_step { q!1; skip } }") == "2:18: " + words);
  CHECK(messages(kTwo, "never { do :: run P() od }") == "2:15: error: 'run' can be used in a process only\n");
  CHECK(messages(kTwo, "never { set_priority(0, 2) }") == "2:9: error: a never claim cannot set priorities\n");
  CHECK(messages(kTwo, "never { _priority = 2 }") == "2:9: error: a never claim cannot set priorities\n");
  CHECK(messages(kTwo, "never { chan c = [1] of { byte }; len(c) == 0 }") ==
        "2:1: error: a claim or trace cannot have a channel of its own\n");
  CHECK(messages(kTwo + " typedef C { chan c = [1] of { byte } }", "never { C c; true }") ==
        "2:1: error: a claim or trace cannot have a channel of its own\n");
  CHECK(messages("#define PROMELA_S\n" + kTwo, "never { choose (x: 0 .. 2) where (x > 1) }") ==
        "3:9: error: 'choose' cannot be used in a never claim\n");
}

TEST_CASE("claims and traces: a claim that changes the model is warned of, once") {
  CHECK(messages(kTwo, "never n { do :: x = 1 :: x++; y = 2 od }") ==
        "2:17: warning: never claim 'n' changes 'x': what is checked is another model than without the claim\n");
  CHECK(
      messages(kTwo, "never { for (y : 1 .. 3) { true } }") ==
      "2:14: warning: never claim 'never_0' changes 'y': what is checked is another model than without the claim\n");
}

TEST_CASE("claims and traces: np_ is for claims") {
  const std::string words =
      "error: np_ can be used in never claims and formulas only (SPIN refuses this model, too)\n";
  CHECK(messages(kTwo, "active proctype R() { do :: np_ -> skip od }") == "2:29: " + words);
  CHECK(messages(kTwo, "proctype R() provided (np_) { y = np_ }") == "2:24: " + words + "2:35: " + words);
  CHECK(messages(kTwo, "byte g = np_;") == "2:10: " + words);
}

TEST_CASE("claims and traces: the claim's own _pid and _priority are constants") {
  const Compiled compiled(kTwo + "\nnever { enabled(_pid); _priority == 1 }\n");
  CHECK(compiled.messages ==
        "2:17: warning: in a claim '_pid' is that of the claim itself, always 0, as in SPIN\n"
        "2:24: warning: in a claim '_priority' is that of the claim itself, always 1, as in SPIN\n");
  REQUIRE(compiled.model);
  const Proctype& claim = compiled.model->claims.at(0);
  const Edge& edge = claim.locations.at(claim.start).edges.at(0);
  CHECK(build_statement_text(*compiled.model, &claim, edge.statement) == "(enabled(0))");
}

TEST_CASE("claims and traces: an unknown proctype at the start of a statement is named") {
  CHECK(messages(kTwo, "never { do :: R@lab od }") ==
        "2:15: error: unknown proctype 'R' in a remote reference; it must be declared before\n");
  CHECK(messages(kTwo, "never { do :: Pp[0]:k == 1 od }") ==
        "2:15: error: unknown proctype 'Pp' in a remote reference; did you mean 'P'?\n");
  CHECK(messages(kTwo, "never { do :: P[0]:kk == 1 od }") ==
        "2:20: error: proctype 'P' has no variable 'kk'; did you mean 'k'?\n");
}

TEST_CASE("claims and traces: the end of a never claim is its closing brace or an end label") {
  const Compiled compiled(kTwo +
                          "never { do :: x == 1 -> break :: else od; end1: if :: x == 2 :: x == 3 -> skip fi }");
  REQUIRE(compiled.model);
  const Proctype& claim = compiled.model->claims.at(0);
  std::string ends;
  for (size_t i = 1; i < claim.locations.size(); ++i) {
    const ::cmc::Location& location = claim.locations[i];
    if (location.valid_end && !location.edges.empty())
      ends += (location.labels.empty() ? "-" : location.labels[0]) + " ";
  }
  CHECK(ends == "end1 - ");
  CHECK(claim.locations[claim.end].valid_end);
}

TEST_CASE("claims and traces: accept labels of processes beside a claim are named") {
  const std::string model =
      "byte x; active proctype P() { accept_a: x = 1; accept: x = 2 }\nactive proctype Q() { accept: x = 3 }\n";
  const std::string words =
      " warning: accept labels of processes count as a claim's own, as in SPIN: a cycle through P@accept_a, "
      "P@accept, "
      "Q@accept violates every claim and formula that can follow it\n";
  CHECK(Compiled(model).messages.empty());
  CHECK(Compiled(model + "never n { do :: true od }").messages == "1:41:" + words + "  3:1: here is 'n'\n");
  CHECK(Compiled(model + "ltl { [] x }").messages == "1:41:" + words + "  3:1: here is 'ltl_0'\n");
  CHECK(Compiled("byte x; active proctype P() { x = 1 } never { accept: do :: true od }").messages.empty());
}

// ------------------------------------------------------------------------------------------------ traces

namespace {

const std::string kTraced =
    "mtype = { a, b }; chan q = [2] of { mtype }; chan r = [0] of { byte, byte }; chan many[2] = [1] of { byte }; "
    "byte x;"
    "typedef T { byte f; byte g }; T t; chan other; active proctype P() { q!a; r!1,2; many[0]!1 }";

// All edges of the trace: `from>to statement`, in order.
std::string edges_of(const std::string& trace) {
  const Compiled compiled(kTraced + "\n" + trace + "\n");
  if (!compiled.model) return compiled.messages;
  const Model& model = *compiled.model;
  const Proctype& claim = model.claims.at(0);
  std::string text;
  for (size_t from = 1; from < claim.locations.size(); ++from) {
    for (const Edge& edge : claim.locations[from].edges) {
      const std::string statement = build_statement_text(model, &claim, edge.statement);
      text += std::to_string(from) + ">" + std::to_string(edge.target) + " " + statement + "; ";
    }
  }
  return text;
}

}  // namespace

TEST_CASE("claims and traces: traces are patterns of sends and receives") {
  CHECK(edges_of("trace { do :: q!a; q!b :: q?_ od }") ==
        "1>2 q!a; 2>4 q!b; 3>4 q?_; 4>2 q!a; 4>4 q?_; 5>4 (1); 6>7 (1); 7>0 -end-; ");
  CHECK(edges_of("trace { q!a; q!b; accept: do :: q!_ od }") ==
        "1>2 q!a; 2>4 q!b; 3>4 q!_; 4>4 q!_; 5>4 (1); 6>7 (1); 7>0 -end-; ");
  CHECK(edges_of("notrace { do :: q!a; q!b -> break :: r?1,2 od }") ==
        "1>2 q!a; 2>8 q!b; 3>8 (1); 4>5 r?1,2; 5>2 q!a; 5>5 r?1,2; 6>5 (1); 7>8 (1); 8>0 -end-; ");
  CHECK(edges_of("notrace { r!1,_; r?eval(x),2; r!1 }") == "1>2 r!1,_; 2>3 r?eval(x),2; 3>4 r!1; 4>0 -end-; ");
  CHECK(messages(kTraced, "trace { many[1]!_; if :: q?a :: other!1 fi; end: accept: do :: q!_; break :: q?_ od }")
            .empty());
  CHECK(messages(kTraced, "trace { l: q!a; goto l }").empty());
}

TEST_CASE("claims and traces: in a trace, what is no constant stands for any value") {
  const auto words = [](const std::string& text) {
    return "warning: in a trace '" + text +
           "' stands for any value, as in SPIN, which compares constants, and eval(...) in receives, only\n";
  };
  CHECK(messages(kTraced, "trace { q!x }") == "2:11: " + words("x"));
  CHECK(messages(kTraced, "trace { q?x }") == "2:11: " + words("x"));
  CHECK(messages(kTraced, "trace { r!x+1,2 }") == "2:12: " + words("(x+1)"));
  CHECK(messages(kTraced, "trace { r!t }") == "2:11: " + words("t"));
  const Compiled compiled(kTraced + "trace { r!t; r?t; r!x,2 }");
  REQUIRE(compiled.model);
  std::string texts;
  for (const ::cmc::Location& location : compiled.model->claims.at(0).locations) {
    for (const Edge& edge : location.edges) {
      texts += build_statement_text(*compiled.model, &compiled.model->claims[0], edge.statement) + " ";
    }
  }
  CHECK(texts == "r!_,_ r?_,_ r!_,2 -end- ");
}

TEST_CASE("claims and traces: what is no event cannot be in a trace") {
  const std::string words =
      "error: a trace consists of sends q!... and receives q?..., of selections, loops and jumps, and of nothing "
      "else\n";
  for (const std::string statement : {"skip", "x = 1", "assert(true)", "atomic { q!a }", "{ q!a }", "q!!a", "q?\?a",
                                      "q?<a>", "timeout", "printf(\"\")", "for (x : 1 .. 2) { q!a }"}) {
    INFO(statement);
    CHECK(messages(kTraced, "trace { q!a; " + statement + " }").find(words) != std::string::npos);
  }
  CHECK(messages(kTraced, "trace { do :: q!a :: else od }").find(words) != std::string::npos);
}

TEST_CASE("claims and traces: traces name global channels, with messages that these can have") {
  CHECK(messages(kTraced, "trace { x!1 }") == "2:9: error: a trace names global channels; 'x' is none\n");
  CHECK(messages(kTraced, "trace { chan c; c!1 }") == "2:17: error: a trace names global channels; 'c' is none\n");
  CHECK(messages(kTraced, "trace { many[x]!1 }") ==
        "2:9: error: a trace names channels; which one 'many[x]' is would depend on the state\n");
  CHECK(messages(kTraced, "trace { r!1,2,3 }") ==
        "2:9: error: 3 fields in a trace, but the messages of 'r' have 2\n  1:55: declared here\n");
  CHECK(messages(kTraced, "trace { r?_,_,_ }") ==
        "2:9: error: 3 fields in a trace, but the messages of 'r' have 2\n  1:55: declared here\n");
  CHECK(messages(kTraced, "trace { r!1; r?_; q!_ }").empty());  // the first fields only
  CHECK(messages(kTraced, "trace { q?eval(_pid) }") == "2:16: error: '_pid' has no meaning outside a process\n");
}

TEST_CASE("claims and traces: a jump that is a step of the trace is warned of") {
  CHECK(messages(kTraced, "trace { do :: q!a :: break od; q!b }") ==
        "2:22: warning: in a trace this jump is a step of its own, which every event takes, as in SPIN\n");
  CHECK(messages(kTraced, "trace { do :: q!a; goto l :: q!b; break od; l: q!a }").empty());
}

TEST_CASE("claims and traces: a model has one trace") {
  CHECK(messages(kTraced, "trace { q!a } notrace { q!b }") ==
        "2:15: error: a second trace or notrace; a model has one at most\n  2:1: the first one\n");
}

}  // namespace cmc::promela
