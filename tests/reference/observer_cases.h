#pragma once

#include <set>
#include <string>

#include "checker/generator/generator.h"

// Small models beside a claim or a trace, with what SPIN 6.5.2's verifier counts for them: spin -a -o1 -o2 -o3;
// -DSAFETY -DNOREDUCE; pan -n -c0 -E; transitions without the one that enters the initial state.
//
// SPIN's verifier goes on from a node that is reached both normally and behind a blocked system in the way in which
// it came there first. The product has two nodes: `apart` are its counts if they are others.

namespace cmc::test {

struct ObserverCase {
  const char* name;
  const char* system;
  const char* observer;  // its text
  size_t states;
  size_t transitions;
  std::set<RuntimeErrorKind> errors;
  struct {
    size_t states = 0;
    size_t transitions = 0;
  } apart = {};

  [[nodiscard]] std::string text() const { return std::string(system) + "\n" + observer + "\n"; }
};

// clang-format off
inline constexpr const char* kTwo = R"(byte x; bool flag;
active proctype P() { do :: x<3 -> x++ :: x==3 -> x=0 od }
active proctype Q() { do :: flag=!flag od })";
inline constexpr const char* kDeadlock = R"(byte x;
active proctype P() { do :: x<3 -> x++ :: x==3 -> break od })";
inline constexpr const char* kTimeout = R"(byte x;
active proctype P() { do :: x<2 -> x++ :: timeout -> x=0 od })";
inline constexpr const char* kRemote = R"(byte x;
active proctype P() { byte k; l0: do :: x<3 -> cs: x++; k++ :: x==3 -> x=0; k=0 od }
active proctype Q() { byte y; do :: y=1-y od })";
inline constexpr const char* kProgress = R"(byte x;
active proctype P() { do :: x<3 -> x++ :: x==3 -> progress: x=0 od }
active proctype Q() { byte y; do :: y=1-y od })";
inline constexpr const char* kRendezvous = R"(chan c=[0] of {byte}; byte x;
active proctype A() { do :: c!1 od }
active proctype B() { byte v; do :: c?v -> x=1-x od })";
inline constexpr const char* kAtomic = R"(byte x;
active proctype P() { do :: atomic { x=1; x=0 } :: x=2 -> x=0 od })";
inline constexpr const char* kOnce = R"(byte x;
active proctype P() { x=1 })";
inline constexpr const char* kChannels = R"(mtype={a,b}; chan q=[2] of {mtype}; chan r=[0] of {byte};
active proctype S() { do :: q!a; q!b; r!1 od }
active proctype R() { mtype m; do :: q?m :: r?_ od })";
inline constexpr const char* kPair = R"(chan q=[2] of {byte};
active proctype S() { do :: q!1; q!2 od }
active proctype R() { byte m; do :: q?m od })";

inline const ObserverCase kClaimCases[] = {
  {"n1", kTwo, "never { T0: do :: x==2 -> goto accept_s :: true od; accept_s: do :: x==2 od }", 22, 48, {}},
  {"n2", kTwo, "never { do :: x==2 -> break :: true od }", 22, 40, {RuntimeErrorKind::kClaimEnd}},
  {"n4", kTwo, "never { do :: assert(x!=2) od }", 16, 32, {RuntimeErrorKind::kAssertion}},
  {"n5", kTwo, "never { do :: x<3 od }", 14, 24, {}},
  {"n7", kTwo, "never { x==1; x==1; x==1 }", 1, 0, {}},
  {"d1", kDeadlock, "never { do :: true od }", 9, 9, {}, {10, 10}},
  {"d2", kDeadlock, "never { accept: do :: x<3 :: x==3 od }", 9, 9, {}, {10, 10}},
  {"d3", kDeadlock, "never { true; true; true; true; true; true; true; true; true; true; true; true; true; do :: true od }",
   13, 13, {}},
  {"d4", kDeadlock, "never { a: if :: true -> goto a :: true -> goto b fi; b: true; c: true; goto a }", 24, 34, {}, {27, 39}},
  {"d5", kDeadlock, "never { do :: true :: x==3 -> goto accept_b od; accept_b: do :: x==3 od }", 11, 15, {}, {13, 18}},
  {"t1", kTimeout, "never { do :: true od }", 6, 6, {}},
  {"t2", kTimeout, "never { do :: true :: timeout -> break od }", 7, 7, {RuntimeErrorKind::kClaimEnd}},
  {"t3", kTimeout, "never { do :: timeout -> break od }", 3, 2, {RuntimeErrorKind::kClaimEnd}},
  {"t4", kTimeout, "never { do :: !timeout :: timeout -> goto accept_x od; accept_x: do :: true od }", 11, 11, {}},
  {"r1", kRemote, "never { do :: P@cs -> break :: else od }", 8, 8, {RuntimeErrorKind::kClaimEnd}},
  {"r2", kRemote, "never { do :: P:k==2 -> break :: else od }", 18, 28, {RuntimeErrorKind::kClaimEnd}},
  {"r3", kRemote, "never { do :: _last==1 :: else -> goto accept_a od; accept_a: do :: _last!=1 od }", 25, 26, {}},
  {"r4", kRemote, "never { do :: enabled(0) :: !enabled(0) -> break od }", 24, 48, {}},
  {"r6", kRemote, "byte c; never { do :: c<5 -> c++ :: c>=5 -> break od }", 78, 132, {RuntimeErrorKind::kClaimEnd}},
  {"r7a", kRemote, "never { T0: do :: atomic { !(x<=3) -> assert(!(!(x<=3))) } :: 1 -> goto T0 od; accept_all: skip }",
   24, 48, {}},
  {"r7b", kRemote, "never { T0: do :: !(x==3) -> goto accept_S4 :: 1 -> goto T0 od; accept_S4: do :: !(x==3) -> goto accept_S4 od }",
   44, 120, {}},
  {"r7c", kRemote, "never { T0: do :: !(P:k<4) -> goto accept_S9 :: 1 -> goto T0 od; accept_S9: do :: 1 -> goto T0 od }",
   24, 48, {}},
  {"r8", kRemote, "never { do :: x=1 od }", 2049, 4098, {}},
  {"c1", kOnce, "never { a: true; b: true; c: true; goto a }", 4, 4, {}, {6, 6}},
  {"c2", kOnce, "never { s: if :: true -> goto a :: true -> goto b fi; a: true; b: true; c: true; goto a }", 6, 7, {}, {8, 9}},
  {"c3", kOnce, "never { s: if :: true -> goto b :: true -> goto a fi; a: true; b: true; c: true; goto a }", 5, 6, {}, {8, 9}},
  {"s1", kRendezvous, "never { do :: x==0 :: x==1 -> goto accept_z od; accept_z: do :: true od }", 7, 7, {}},
  {"at", kAtomic, "never { do :: true od }", 2, 3, {}},
  {"at, two locations", kAtomic, "never { do :: x==0 :: x==1 -> break od }", 2, 2, {}},
  {"an atomic sequence that blocks", kDeadlock, "never { do :: atomic { true -> x!=3 } od }", 7, 6, {}},
  {"an atomic sequence that never ends its first step", kTwo, "never { do :: atomic { x<3 -> x==2 } od }", 1, 0, {}},
  {"an end label", kDeadlock, "never { do :: true :: x==2 -> goto end_l od; end_l: do :: x>0 :: true -> break od; x==1; do :: true od }",
   16, 19, {RuntimeErrorKind::kClaimEnd}, {19, 22}},
  {"an end label at the start", kDeadlock, "never { end: do :: x>0 :: x==0 od }", 9, 9, {RuntimeErrorKind::kClaimEnd}, {10, 10}},
  {"a claim that makes the system able to move", "byte x; active proctype P() { x==1; x=2; x==3; x=4 }",
   "never { do :: true :: x==0 -> x=1; true; true; x=3 od }", 9, 11, {}, {11, 14}},
  {"the number of processes", "byte n; active proctype P() { n=_nr_pr; assert(n==2) }",
   "never { do :: _nr_pr==2 :: _nr_pr==1 od }", 4, 4, {}, {5, 5}},
  {"the pid of a claim", kDeadlock, "never { do :: _pid==0 od }", 9, 9, {}, {10, 10}},
  {"an atomic sequence that a rendezvous enters and that blocks",
   "chan c=[0] of {byte}; byte x; active proctype A() { do :: atomic { c!1; x==2; x=3 } :: x=0 od } active proctype B() { byte v; do :: atomic { c?v; x=1 } :: x==1 -> x=2 od }",
   "never { do :: x!=3 :: x==3 -> goto accept_z od; accept_z: do :: true od }", 10, 14, {}},
  {"priorities", "byte x; active proctype P() priority 3 { do :: x<3 -> x++ :: x==3 -> break od } active proctype Q() { do :: x=0; break od }",
   "never { do :: true :: x==2 -> goto l od; l: do :: x!=1 od }", 17, 19, {}, {19, 21}},
  {"provided clauses", "byte x; active proctype P() provided (x<2) { do :: x<3 -> x++ :: x==3 -> break od } active proctype Q() { do :: x=0 od }",
   "never { do :: true :: x==2 -> goto l od; l: do :: x!=1 od }", 8, 14, {}},
  {"processes that come and go", "byte x; proctype P() { x=1-x } init { do :: _nr_pr<4 -> run P() :: x==1 -> break od }",
   "never { do :: true :: x==1 -> goto l od; l: do :: _nr_pr!=2 od }", 69, 140, {}, {72, 144}},
  {"unless in a claim", kTwo, "never { { do :: x!=2 :: flag od } unless { x==2; accept_l: do :: flag :: else od } }", 26, 60, {}},
  {"a d_step in a claim", kTwo, "byte c; never { do :: d_step { x!=2; c=1-c } :: else od }", 32, 64, {}},
  {"no progress", "byte x; active proctype P() { x=1; x=2 }",
   "never { do :: true :: np_ -> goto accept_s od; accept_s: do :: np_ od }", 7, 9, {}, {8, 10}},
  {"a claim that asks enabled() of a process at timeout",
   "byte x; active proctype P() { timeout -> x=1; x=2 } active proctype Q() { do :: x<2 -> x++ :: x==1 -> break od }",
   "never { do :: enabled(0) -> break od }", 1, 0, {}},
};

inline const ObserverCase kTraceCases[] = {
  {"e1", kChannels, "trace { do :: q!a; q!b od }", 13, 19, {}},
  {"e2", kChannels, "trace { do :: q!a; q!a od }", 22, 32, {RuntimeErrorKind::kTraceMismatch}},
  {"e3", kChannels, "notrace { q!a; q!b; q!a }", 18, 26, {RuntimeErrorKind::kNotraceMatched}},
  {"e4", kChannels, "trace { do :: q?a; q?b od }", 13, 19, {}},
  {"e5", kChannels, "trace { do :: q!a; q!b; r!1 od }", 13, 19, {}},
  {"e6", kChannels, "trace { do :: q?a; q?b; r?1 od }", 20, 30, {RuntimeErrorKind::kTraceMismatch}},
  {"e7", kChannels, "trace { q!a; q!b; accept: do :: q!_ od }", 14, 20, {}},
  {"e8", kChannels, "trace { q!a; q!b }", 14, 20, {RuntimeErrorKind::kTraceMismatch}},
  {"e9", kChannels, "notrace { do :: q!a; q!b od }", 13, 19, {}},
  {"sends and receives of a rendezvous", "chan q=[0] of {byte}; byte x; active proctype S() { do :: q!1; q!2 od } active proctype R() { byte m; do :: q?m :: q?2; x=1-x od }",
   "trace { do :: q!1; q!2; q?2 od }", 9, 11, {RuntimeErrorKind::kTraceMismatch}},
  {"a rendezvous that is sent before it is received", "chan q=[0] of {byte}; active proctype S() { do :: q!1; q!2 od } active proctype R() { byte m; do :: q?m od }",
   "trace { do :: q!1; q?1; q!2; q?2 od }", 3, 3, {}},
  {"a rendezvous without a receiver", "chan q=[0] of {byte}; byte x; active proctype S() { do :: q!1 :: x=1-x od }",
   "trace { q!1; q!1 }", 2, 2, {}},
  {"a sorted send", "chan q=[2] of {byte}; active proctype S() { do :: q!!2; q!!1 od } active proctype R() { byte m; do :: q?m od }",
   "trace { do :: q!2; q!1 od }", 14, 19, {RuntimeErrorKind::kTraceMismatch}},
  {"a sorted send whose message is not the last", "chan q=[2] of {byte}; active proctype S() { do :: q!!2; q!!1 od } active proctype R() { byte m; do :: q?m od }",
   "trace { do :: q!2; q!2 od }", 25, 34, {RuntimeErrorKind::kTraceMismatch}},
  {"a random receive", "chan q=[2] of {byte}; active proctype S() { do :: q!2; q!1 od } active proctype R() { byte m; do :: q??1; q??2 od }",
   "trace { do :: q?2; q?2 od }", 5, 6, {}},
  {"a random receive whose message is not the first", "chan q=[2] of {byte}; active proctype S() { do :: q!2; q!1 od } active proctype R() { byte m; do :: q??1; q??2 od }",
   "trace { do :: q?1; q?2 od }", 5, 6, {RuntimeErrorKind::kTraceMismatch}},
  {"events in a d_step, polls", "chan q=[2] of {byte}; active proctype S() { do :: d_step { empty(q); q!2; q!1 } od } active proctype R() { byte m; do :: q?<2>; q?2; q?1 od }",
   "trace { do :: q!2; q!1; q?2; q?1 od }", 4, 4, {}},
  {"a mismatch in a d_step", "chan q=[2] of {byte}; active proctype S() { do :: d_step { empty(q); q!2; q!1 } od } active proctype R() { byte m; do :: q?<2>; d_step { q?2; q?1 } od }",
   "trace { do :: q!2; q!1; q?1 od }", 3, 3, {RuntimeErrorKind::kTraceMismatch}},
  {"a rendezvous received in a d_step", "chan q=[0] of {byte}; byte x; active proctype S() { do :: q!1; q!2 od } active proctype R() { byte m; do :: d_step { q?m; x=m } :: q?2 od }",
   "trace { do :: q!1; q?1; q!2; q?2 od }", 4, 5, {}},
  {"atomic sequences", "chan q=[2] of {byte}; active proctype S() { do :: atomic { q!1; q!2 } od } active proctype R() { byte m; do :: atomic { q?m; q?m } od }",
   "trace { do :: q!1; q!2; q?1; q?2 od }", 4, 4, {}},
  {"a notrace that an event misses", kPair, "notrace { q!1; q!1; q!2 }", 10, 13, {}},
  {"a notrace with branches", kPair, "notrace { do :: q!1 :: q!2; break od; q?_; q?1 }", 10, 14, {}},
  {"branches, jumps, labels", kPair, "trace { L: if :: q!1 -> goto M :: q!2; goto L fi; M: q!2; end: q!1; goto M }", 9, 12, {}},
  {"arrays of channels, several fields", "chan q[2]=[1] of {byte,byte}; byte g=1; active proctype S() { byte k; do :: q[k]!k,g; k=1-k od } active proctype R() { byte m; do :: q[0]?m,g :: q[1]?m,_ od }",
   "trace { do :: q[0]!0,_ :: q[1]!1,1; q[1]?1,eval(g) od }", 28, 50, {RuntimeErrorKind::kTraceMismatch}},
  {"a channel that is passed on", "chan q=[1] of {byte}; chan p=[1] of {chan}; active proctype S() { chan c; p!q; p?c; do :: c!1; c?1 od }",
   "trace { do :: q!1; q?1 od }", 4, 4, {}},
};
// clang-format on

}  // namespace cmc::test
