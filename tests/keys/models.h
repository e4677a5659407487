#pragma once

#include <initializer_list>
#include <span>

#include "tests/support/compile.h"

#include "tests/catch.h"

// Small models with everything that comes and goes in a state.

namespace cmc::test {

struct SmallModel {
  const char* name;
  const char* text;
};

// clang-format off
inline const SmallModel kSmallModels[] = {
  {"processes", R"(
byte n;
proctype C(byte d) { byte own = d; if :: d > 0 -> run C(d - 1); own = 7 :: n < 2 -> n++ fi; (_nr_pr < 4); n = _nr_pr }
init { atomic { run C(1); run C(2) } }
)"},
  {"another proctype at the same place", R"(
byte n;
proctype A(byte x) { byte a[3]; a[x] = x; n++ }
proctype B(byte x) { int b = x; chan c = [1] of { byte }; c!x; n++ }
init { do :: n < 4 -> if :: run A(n % 3) :: run B(n) :: atomic { run A(1); (_nr_pr == 1) -> run B(2) } fi; (_nr_pr == 1) :: else -> break od }
)"},
  {"channels in messages", R"(
chan m = [1] of { chan, byte };
proctype S(byte k) { chan rep = [1] of { byte }; byte v; m!rep,k; rep?v; assert(v == k + 1) }
active proctype T() { chan c; byte v; end: do :: m?c,v -> c!v+1 od }
init { run S(3); run S(5) }
)"},
  {"rendezvous", R"(
chan r = [0] of { byte, bit }; chan s = [0] of { byte }; byte x;
active [2] proctype P() { byte v; do :: r!_pid,1 :: r?v,_ -> x = v :: s!x; break od }
active proctype Q() { byte v; end: do :: s?v -> atomic { r!v,0; x = 3 } od }
)"},
  {"priorities", R"(
byte x;
active proctype A() priority 2 { byte i; do :: i < 2 -> i++; x++ :: x == 3 -> break od }
active proctype B() priority 5 { (x == 1) -> set_priority(0, 7); x++; (get_priority(0) == 7) -> set_priority(_pid, 1) }
active proctype C() { do :: x > 1 -> break :: x < 5 -> x = x + 2; _priority = 3 od }
)"},
  {"_last", R"(
chan r = [0] of { byte }; byte w;
active proctype A() { byte i; do :: i < 3 -> r!_last; i++ :: else -> break od }
active [2] proctype B() { byte v; do :: r?v -> w = _last :: r?eval(_last) -> w = w + 3 od }
)"},
  {"atomic", R"(
byte x, y; chan q = [1] of { byte };
active proctype A() { atomic { x = 1; q!1; q!2; x = 2; (y == 1); x = 3 } }
active proctype B() { byte v; q?v; atomic { y = 1; q?v; y = 2 } }
active proctype C() { atomic { do :: y < 2 -> x++; if :: x > 5 -> break :: else fi :: y == 2 -> break od } }
)"},
  {"timeout and errors", R"(
byte x; byte a[3]; chan q = [1] of { byte };
active proctype A() { do :: timeout -> x++; if :: x > 5 -> break :: else fi :: q!1; a[x] = 1; assert(x < 3) od }
active proctype B() { byte v; do :: q?v; (x == v) :: x > 2 -> timeout -> v = 7 / (4 - x); break od }
)"},
  {"typedefs", R"(
typedef In { bit f[2]; short s }; typedef P { byte a; In in[2]; byte t };
P p[2]; chan q = [2] of { In }; hidden byte h; P single;
active proctype A() { P l; byte i; p[0].a = 3; p[0].in[1].f[1] = 1; p[1].in[0].s = -4; q!p[1].in[0]; q?p[0].in[0];
  l.in[1].s = p[0].in[0].s; h = 4; single.in[1].f[0] = 1; d_step { p[1].a++; p[0].t = p[1].a; l.t = 9 } assert(l.in[1].s == -4) }
active proctype B() { do :: p[1].a == 1 -> break :: p[0].in[1].f[1] -> p[0].in[1].f[0] = 1 - p[0].in[1].f[0]; h = 7 od }
)"},
  {"long arrays", R"(
byte g[200]; int big[60]; 
proctype W(byte z) { byte l[150]; int m[40]; short k; l[z] = 1; l[149] = z; m[39] = z; m[0] = l[149]; k = m[39]; g[z * 10] = k; l[149] = 0 }
init { byte i; short last[70]; run W(3); run W(17); last[69] = 5; big[59] = 1; do :: i < 70 -> last[i] = i; i = i + 23 :: else -> break od; g[199] = last[69] }
)"},
  {"arrays of channels", R"(
chan q[3] = [1] of { byte }; byte sum;
proctype P(byte i) { chan own[2] = [2] of { byte, bit }; byte v; own[i % 2]!i,1; q[i]!i; own[i % 2]?v,_; q[(i + 1) % 3]?v; sum = sum + v }
init { atomic { run P(0); run P(1); run P(2) } }
)"},
  {"d_step inside a rendezvous", R"(
chan r = [0] of { byte }; byte x;
active proctype P() { atomic { x == 0 -> r!2 } }
active proctype Q() { r?eval(x); x = 9 }
active proctype R() { d_step { printf("x"); x = x + 2 } }
)"},
  {"remote references and provided", R"(
byte g, turn;
proctype W(byte z) provided (turn != 2) { byte l = z; A: l++; B: g = l; turn = 2; C: (g == 3) }
init { run W(1); run W(2); if :: (W[2]@C || W[1]@B) -> g = W[1]:l :: turn = 3 fi; turn = 0; (W[1]:l == W[2]:l) -> g = 3 }
)"},
};

// Handshakes: who may take a message, and what follows on that.
inline const SmallModel kHandshakeModels[] = {
  {"a chain through three processes", R"(
chan c = [0] of { byte }; chan d = [0] of { byte }; byte n, w;
active proctype A() { byte i; do :: i < 4 -> atomic { i++; n++; c!i } :: n > 5 -> n = 0 od }
active [2] proctype B() { byte v; do :: atomic { c?v -> n = n + v; if :: d!v; w = v :: v > 2 -> skip fi; v = 0 } od }
active proctype C() { byte v; do :: atomic { d?v -> n = n % 7; v = 0; w++ } :: n == 3 -> n = 4 od }
)"},
  {"offers that nobody takes, in a chain", R"(
chan c = [0] of { byte }; chan d = [0] of { byte }; byte n;
active proctype A() { byte i; do :: atomic { n < 3 -> n++; c!i; i = (i + 1) % 3; d!i } od }
active proctype B() { byte v; do :: c?v; n = v :: n == 2 -> n = 0 od }
active proctype C() { byte v; do :: n == 1 -> d?v; d?v od }
)"},
  {"two processes that hand each other the turn", R"(
chan c = [0] of { bit }; chan d = [0] of { bit }; byte n;
active proctype A() { bit b; n = 1; atomic { do :: c!b; d?b :: n == 2 -> break od }; n = 3 }
active proctype B() { bit b; do :: atomic { c?b; d!b } :: n < 3 -> n = 2 - n od }
)"},
  {"a turn that goes round and ends", R"(
chan c = [0] of { byte }; chan d = [0] of { byte }; byte n, m;
active proctype A() { byte k; do :: m < 3 -> m++ :: atomic { k = m; do :: k > 0 -> c!k; d?k :: else -> break od; n = (n + 1) % 5 } od }
active proctype B() { byte k; do :: atomic { c?k; n = (n + 2) % 5; d!k - 1; k = 0 } od }
)"},
  {"d_steps as receivers", R"(
chan c = [0] of { byte }; byte n, m;
active proctype A() { do :: c!n % 3 :: n > 4 -> n = 0 od }
active proctype B() { byte v; do :: d_step { c?v -> n = n + v; v = 0 } :: m == 2 -> d_step { skip; m = 0 } od }
active proctype C() { byte v; do :: d_step { c?1 -> m++ } :: c?v; n++; v = 0 :: m > 1 -> d_step { assert(n < 9); n = 0 } od }
)"},
  {"else beside offers", R"(
chan c = [0] of { byte }; chan d = [0] of { byte }; byte n, m;
active proctype A() { byte i; do :: atomic { if :: c!i :: d!i :: else -> if :: n > 2 -> d!n :: else -> m++ fi fi; i = (i + 1) % 2; n = m % 3 } :: m > 3 -> m = 0 od }
active proctype B() { byte v; do :: m > 1 -> c?v; n++ :: n > 2 -> n = 0 od }
active proctype C() { byte v; do :: n == 1 -> atomic { d?v; if :: c!v :: else -> m = 0 fi } od }
)"},
  {"provided receivers and an unless", R"(
chan c = [0] of { byte }; byte n, m;
active proctype A() { do :: c!n :: n = (n + 1) % 4 od }
active proctype B() provided (n != 2) { byte v; do :: c?v; m = v od }
active proctype C() { byte v; again: { do :: c?v :: m == 1 -> c!3 od } unless { n == 3 -> m = 0 }; goto again }
active proctype D() provided (12 / (3 - n) > 3) { byte v; do :: c?v od }
)"},
  {"channels as parameters and in messages", R"(
chan ask = [0] of { chan }; chan a = [0] of { byte }; chan b = [0] of { byte }; byte n;
proctype P(chan mine) { byte v; do :: n < 4 -> ask!mine; mine?v; n = n + v :: mine?2 -> n = 0 od }
proctype R() { chan whose; byte v; do :: atomic { ask?whose -> whose!1 } :: a!2 :: b?v :: n > 2 -> whose!0 od }
init { atomic { run P(a); run P(b); run R() } }
)"},
  {"run and errors in a chain", R"(
chan c = [0] of { byte }; byte n;
proctype Q(byte k) { byte v; c?v; assert(v != 3); n = n - k + v }
active proctype A() { byte i; do :: i < 3 -> atomic { i++; if :: _nr_pr < 4 -> run Q(i) :: else -> skip fi; n++; c!n } od }
active proctype B() { byte v, a[3]; do :: atomic { c?v -> a[v] = 1; n = v } :: n == 2 -> n = 5 od }
)"},
  {"timeout and _last", R"(
chan c = [0] of { byte }; byte n;
active proctype A() { do :: timeout -> c!_last; n++ :: n < 2 -> c!7 od }
active proctype B() { byte v; do :: n < 2 -> c?v; n = v % 3 :: timeout -> n = 0 :: c?eval(timeout) -> n = 1 od }
active proctype C() { do :: c?1 :: n == 1 -> n = 2 od }
)"},
};
// clang-format on

// act(model) for all of them.
template <class Act>
void for_each_small_model(Act&& act) {
  for (const auto models : std::initializer_list<std::span<const SmallModel>>{kSmallModels, kHandshakeModels}) {
    for (const SmallModel& small : models) {
      INFO(small.name);
      act(compile_text(small.text));
    }
  }
}

}  // namespace cmc::test
