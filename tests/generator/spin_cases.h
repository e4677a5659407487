#pragma once

#include <cstddef>

// Small models of the darker corners, with what SPIN 6.5.2's verifier counts for them: spin -a -o1 -o2 -o3; -DSAFETY
// -DNOREDUCE -DNOCOMP; pan -n -c0 -E; transitions without the one that enters the initial state. NOCOMP, because
// SPIN's default compression leaves the priority of a process without locals out of the state (a bug of SPIN's).

namespace cmc::test {

struct SpinCase {
  const char* name;
  size_t states;
  size_t transitions;
  size_t errors;
  const char* text;
};

// clang-format off
inline const SpinCase kSpinCases[] = {
  {"assertions", 54, 82, 7, R"(
byte x;
active [2] proctype A() { byte t; t = x; t++; x = t; assert(x == 2 || _pid == 0) }
)"},
  {"atomic_block", 44, 62, 0, R"(
byte x, y; chan q = [1] of { byte };
active proctype A() { atomic { x = 1; q!1; q!2; x = 2; (y == 1); x = 3 } }
active proctype B() { byte v; q?v; atomic { y = 1; q?v; y = 2 } }
active proctype C() { atomic { do :: y < 2 -> x++; if :: x > 5 -> break :: else fi :: y == 2 -> break od } }
)"},
  {"atomic_goto", 45, 83, 0, R"(
byte x;
active [2] proctype A() { L: atomic { if :: x < 3 -> x++; goto L :: x > 1 -> x = 0; goto M :: else -> goto M fi }; M: skip; if :: x == 1 -> goto L :: else fi }
)"},
  {"chan_pass", 8, 7, 0, R"(
chan m = [0] of { chan, byte }; 
active proctype S() { chan rep = [1] of { byte }; byte v; m!rep,4; rep?v; assert(v == 5); m!rep,7; rep?v }
active proctype T() { chan c; byte v; end: do :: m?c,v -> c!v+1 od }
)"},
  {"dproctype", 13, 12, 1, R"(
byte x;
active D_proctype A() { do :: x < 3 -> x++ :: x == 2 -> x = 5 :: else -> break od }
)"},
  {"dstep_else", 49, 74, 0, R"(
byte x;
active [2] proctype C() { if :: x == 1 -> x = 2 :: x == 0 -> x++ :: d_step { x > 1 -> x = 0; x = x + 7 } fi; if :: d_step { x == 2 -> x = 4 } :: else -> x = 1 fi }
)"},
  {"dstep_if", 391, 823, 0, R"(
byte x; chan q = [2] of { byte };
active proctype A() { do :: d_step { if :: x == 0 -> x = 1 :: x == 1 -> x = 2 :: else -> x = 0 fi } :: x == 2 -> break od }
active proctype B() { byte v; do :: d_step { nfull(q) -> q!x } :: d_step { q?v; x = v } :: x == 2 -> break od }
)"},
  {"dstep_loop", 20, 26, 0, R"(
byte a[5]; byte n;
active [2] proctype A() { byte i; d_step { do :: i < 5 -> a[i] = a[i] + i; i++ :: else -> break od; i = 0 }; if :: a[4] == 4 -> n++ :: n > 0 -> skip fi }
)"},
  {"dstep_mid", 30, 39, 0, R"(
chan r = [0] of { byte }; byte x;
active proctype A() { r!1; r!2 }
active proctype B() { byte v; d_step { x = 5; x = x + 1 }; d_step { r?v; x = v }; r?v }
active proctype C() { byte v; if :: d_step { skip; x = 9 } :: r?v fi }
)"},
  {"enabled", 3316, 5347, 0, R"(
byte x;
active proctype A() { do :: enabled(1) -> x++ :: x > 2 -> break od }
active proctype B() { do :: (x == 0 || x == 2) -> x++ :: x > 3 -> break od }
)"},
  {"end_in_atomic", 55, 108, 0, R"(
byte x; proctype P() { atomic { x++; (x > 1) } }
active [2] proctype A() { atomic { run P(); x = x + 2; run P() } }
)"},
  {"eval_rv", 128, 226, 0, R"(
chan q = [0] of { mtype, byte }; mtype = { a, b, c }; byte k;
active [2] proctype S() { q!a,_pid; q!b(_pid); q!c,_pid }
active [2] proctype R() { do :: q?a,eval(_pid - 2) -> k = k + 1 :: q?b,k :: q?c(_) -> break od }
)"},
  {"fields", 9, 10, 0, R"(
chan q = [2] of { byte, byte }; byte v, w;
active proctype A() { q!1,2; q!3,4; }
active proctype B() { q?v,w; if :: q?eval(v + 2),w :: q??[_,4] -> q?_,w fi }
)"},
  {"for_select", 302, 516, 0, R"(
byte s; int a[3];
active proctype A() { byte i; for (i : 1 .. 3) { a[i-1] = i * i } ; for (i in a) { s = s + a[i] }; int k; select (k : 2 .. 4); s = s + k }
active proctype B() { do :: s > 3 -> s-- :: s > 14 -> break od }
)"},
  {"inval", 6, 6, 0, R"(
chan q = [1] of { byte };
active proctype A() { q!1; q!2 }
active proctype B() { byte v; if :: q?v :: skip fi; end: v == 7 }
)"},
  {"last", 44, 66, 0, R"(
byte x;
active [2] proctype A() { do :: _last != _pid -> x = (x + 1) % 3 :: x == 2 -> break od }
)"},
  {"mixed_chan", 248, 447, 0, R"(
chan q[3] = [0] of { byte }; chan b = [2] of { byte };
active proctype A() { byte i; do :: i < 3 -> q[i]!i; i++ :: b!i :: i == 3 -> break od }
active proctype B() { byte v, k; do :: q[k]?v -> k = (k + 1) % 3 :: b?v :: timeout -> break od }
)"},
  {"np_pc", 35, 49, 0, R"(
byte x;
active proctype A() { do :: x < 2 -> progress: x++ :: else -> break od }
active proctype B() { if :: pc_value(0) > 2 -> x = 5 :: else fi }
)"},
  {"prio_else", 483, 760, 0, R"(
byte x, y;
active proctype A() priority 3 { do :: x == 1 -> y++; break :: else -> x = 1 od; (y == 2); y = 9 }
active [2] proctype B() priority 3 { if :: y == 1 -> y = 2 :: x == 1 -> x = 2; set_priority(_pid, 1) fi; y = y + 1 }
active proctype C() { do :: y < 4 -> y++ :: _priority == 1 -> break od }
)"},
  {"prio_run", 57, 67, 0, R"(
byte x;
proctype P(byte k) { do :: k > 0 -> k--; x++ :: else -> break od }
init { run P(2) priority 4; run P(3) priority 2; run P(1); x = 0; set_priority(0, 9); x = 10 }
)"},
  {"priority", 17, 16, 0, R"(
byte x;
active proctype A() priority 2 { byte i; do :: i < 2 -> i++; x++ :: x == 3 -> break od }
active proctype B() priority 5 { (x == 1) -> set_priority(0, 7); x++; (get_priority(0) == 7) -> set_priority(_pid, 1) }
active proctype C() { do :: x > 1 -> break :: else -> x = x od }
)"},
  {"procs", 164, 255, 0, R"(
byte n;
proctype C(byte d) { if :: d > 0 -> run C(d - 1) :: n < 2 -> n++ fi; (_nr_pr < 4); n = _nr_pr }
init { atomic { run C(1); run C(2) } }
)"},
  {"prov_rv", 6, 5, 0, R"(
byte turn; chan r = [0] of { bit };
active proctype A() { r!0; r!1; turn = 1; r!0 }
active proctype B() provided (turn == 0) { bit b; end: do :: r?b od }
active proctype C() provided (_last != 0 || turn == 1) { bit b; end: do :: r?b -> turn = 1 od }
)"},
  {"provided", 540, 967, 0, R"(
byte turn; 
active proctype A() provided (turn == 0) { byte i; do :: i < 3 -> i++; turn = 1 :: i == 3 -> break od; turn = 1 }
active proctype B() provided (turn == 1) { byte i; do :: i < 3 -> atomic { i++; turn = 0 } :: else -> break od; turn = 0 }
active proctype C() { do :: turn = 1 - turn :: turn == 1 -> break od }
)"},
  {"rand_q", 877, 2045, 0, R"(
chan q = [3] of { byte, bit };
active proctype S() { byte i; do :: i < 4 -> q!i,1; i = i + 1 :: i > 0 && i < 4 -> q!!i,0; i++ :: i >= 4 -> break od }
active proctype R() { byte v; bit b; do :: q??2,b :: q??v,0 :: q??<v,1> -> q?v,b :: full(q) -> q?_,_ :: timeout -> break od }
)"},
  {"remote", 68, 113, 0, R"(
byte g;
active proctype A() { byte l; do :: l < 3 -> l++; W: g = l :: else -> break od }
active proctype B() { do :: A[0]@W -> g = 7 :: A[0]:l == 2 -> break :: g > 2 -> break od }
)"},
  {"remote2", 118, 194, 0, R"(
byte g;
proctype W(byte z) { byte l = z; A: l++; B: g = l; C: (g == 3) }
init { run W(1); run W(2); (W[2]@C || W@B) -> g = W[1]:l; (W[1]:l == W[2]:l) -> g = 3 }
)"},
  {"run", 65, 108, 0, R"(
byte n; 
proctype P(byte a; chan c) { chan own = [1] of { byte }; byte t = a + 1; own!t; c!t; if :: a > 0 -> run P(a - 1, own) :: else -> n++ fi; own?t }
init { chan k = [2] of { byte }; run P(2, k); byte v; k?v; (_nr_pr == 1); assert(v == 3) }
)"},
  {"run_assign", 89, 140, 0, R"(
pid a[3]; byte n;
proctype P() { n++; (n > 2); n-- }
init { byte i; atomic { do :: i < 3 -> a[i] = run P(); i++ :: else -> break od }; (a[2] == 3 && n == 3) }
)"},
  {"rv_atomic", 78, 149, 0, R"(
chan r = [0] of { byte }; byte x, y;
active proctype A() { atomic { x = 1; r!1; x = 2; y = x }; atomic { r!2; x = 3 } }
active proctype B() { byte v; atomic { r?v; y = v; y++ }; r?v; y = v }
active proctype C() { do :: x < 4 -> x++ :: y == 2 -> break od }
)"},
  {"rv_else", 79, 102, 0, R"(
chan r = [0] of { byte }; chan s = [0] of { byte, bit };
active proctype A() { byte i; do :: i < 3 -> if :: r!i :: s!i,1 :: else -> skip fi; i++ :: else -> break od }
active [2] proctype B() { byte v; do :: r?v -> s!v,0 :: s?v,0 :: s?eval(v),1 -> break od }
)"},
  {"rv_in_cond", 3072, 6128, 0, R"(
chan r = [0] of { byte }; byte x;
active proctype A() { do :: r!x -> x++ :: x > 2 -> break od }
active proctype B() { do :: atomic { r?x -> x = x + 1 ; r?x } :: r?_ od unless { x > 3 } }
active proctype C() { end: do :: r?0 -> x = 1 :: d_step { r?1 -> x = 4 } od }
)"},
  {"rv_last", 984, 1603, 0, R"(
chan r = [0] of { byte }; byte w;
active proctype A() { byte i; do :: i < 3 -> r!_last; i++ :: else -> break od }
active [2] proctype B() { byte v; do :: r?v -> w = _last :: r?eval(_last) -> w = w + 3 od }
)"},
  {"rv_order", 1930, 3841, 0, R"(
chan r = [0] of { byte }; byte w;
active [3] proctype B() { byte v; r?v; w = w * 4 + _pid; if :: v > 1 -> r?v :: else fi }
init { r!1; r!2; r!3; r!0 }
)"},
  {"rv_unless", 16, 19, 0, R"(
chan r = [0] of { byte }; byte x;
active proctype A() { { do :: r!1 :: x < 3 -> x++ od } unless { x == 2 -> r!2 } }
active proctype B() { byte y; do :: r?y :: y == 2 -> break od }
)"},
  {"rv_unless_reset", 7, 6, 0, R"(
chan r = [0] of { byte }; byte x;
active proctype A() { { x = 1; x = 2 } unless { if :: x == 0 -> x = 5 :: r!1 :: x == 1 -> x = 6 :: r!2 fi } }
active proctype B() { byte v; if :: x > 0 -> r?2 :: x == 5 fi }
)"},
  {"short_offer", 11, 21, 8, R"(
chan c = [0] of { byte, byte }; byte x;
active proctype S() { do :: atomic { x = 1; c!1; x = 2 } :: x = 0 od }
active proctype R() { byte a, b; do :: c?a,b :: x == 1 -> x = 3 od }
)"},
  {"short_offer_atomic", 40, 64, 48, R"(
chan c = [0] of { byte, byte, byte }; byte x;
active [2] proctype S() { atomic { c!1; c!2,3; x++ } ; c!1; }
active proctype R() { byte a, b, d; do :: atomic { c?a,b,d -> x = 0 } od }
)"},
  {"short_offer_beside", 49, 71, 18, R"(
chan c = [0] of { byte, byte }; byte x;
active proctype S() { byte i; do :: i < 3 -> i++; if :: c!i :: else -> x = i fi :: else -> break od }
active proctype T() { { c!1; x = 5 } unless { x == 2 } }
active proctype R() { byte a; do :: c?1,a :: timeout -> break od }
)"},
  {"short_offer_paths", 162, 325, 32, R"(
chan c = [0] of { byte, byte }; byte x;
active [2] proctype S() { byte l; l = 1; l = l + 1; if :: l == 2 -> l = 5; c!1 :: x = x + 1; c!l,3 fi; l = 0 }
active proctype R() { byte a; do :: c?a,3 -> a = 0 :: x == 1 -> a = 3; c?5,a; break od }
)"},
  {"sorted", 280, 628, 0, R"(
chan q = [3] of { byte, byte };
active proctype A() { byte i; do :: i < 3 -> q!!(3 - i),i; i++ :: else -> break od }
active proctype B() { byte a, b; do :: q??2,b :: q?<a,b> :: q?a,b -> if :: q?[1,_] -> skip :: else fi :: len(q) == 0 && q??[eval(a),b] -> skip :: empty(q) -> break od }
)"},
  {"struct", 54, 86, 0, R"(
typedef P { byte a; bit f[2]; short s }; P p[2]; chan q = [1] of { P };
active proctype A() { p[0].a = 3; p[0].f[1] = 1; p[0].s = -4; q!p[0]; q?p[1]; assert(p[1].s == -4); d_step { p[1].a++; p[0].s = p[1].a } }
active proctype B() { do :: p[1].a == 4 -> break :: p[0].f[1] -> p[0].f[0] = 1 - p[0].f[0] od }
)"},
  {"timeout", 13, 17, 0, R"(
byte x; chan q = [1] of { byte };
active proctype A() { do :: timeout -> x++; if :: x > 3 -> break :: else fi :: q!1 od }
active proctype B() { byte v; do :: q?v; (x == v) :: x > 2 -> timeout -> break od }
)"},
  {"timeout_atomic", 7, 6, 0, R"(
byte x;
active proctype A() { atomic { x = 1; timeout; x = 2 }; atomic { do :: x < 4 -> x++ :: timeout -> break od } }
active proctype B() { (x == 1) -> x = 3; (x == 7) -> skip; x = 0 }
)"},
  {"two_rv_atomic", 47, 75, 0, R"(
chan a = [0] of { byte }; chan b = [0] of { byte }; byte x;
active proctype P() { atomic { a!1; x = 1; b?x; x = x * 2 } }
active proctype Q() { byte v; atomic { a?v; x = x + v; b!5; x++ } }
active proctype R() { do :: x < 9 -> x = x + 3 :: else -> break od }
)"},
  {"types", 352, 560, 0, R"(
bit b; byte y = 250; short s = 32760; unsigned u : 3 = 6;
active proctype A() { do :: b++ :: u = u + 3 :: y > 200 -> y = y + 3 :: s > 0 -> s = s + 9; y++ :: s < 0 -> break od }
)"},
  {"unless_atomic", 43, 57, 0, R"(
byte x; chan q = [1] of { byte };
active proctype A() { atomic { x = 1; q!1; x = 2 } unless { x == 1 && q?[1] -> q?_ ; x = 7 }; x++ }
active proctype B() { byte v; do :: q?v :: x > 1 -> break :: x == 0 -> x = 3 od }
)"},
  {"unless_dstep", 1026, 2042, 0, R"(
byte x;
active proctype A() { do :: x++ :: x > 2 -> break od unless { d_step { x == 2 -> x = 10; x++ } }; x = 0 }
active proctype B() { d_step { x > 0 -> x = x + 1 } unless { x > 3 } }
)"},
  {"unless_nest", 73, 118, 0, R"(
byte x;
active proctype A() { { { do :: x++ od } unless { x == 3 -> x = 10 } ; x = 20 } unless { x > 8 -> x = 30 }; x = 1 }
active proctype B() { do :: x < 5 -> x++ :: x > 5 -> break od }
)"},
};
// clang-format on

}  // namespace cmc::test
