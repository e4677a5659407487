#pragma once

// Small texts in Promela/S, in which everything that a solver guard can meet occurs.

namespace cmc::test {

struct GuardText {
  const char* name;
  const char* text;
  unsigned states;
  unsigned transitions;
};

inline constexpr GuardText kTexts[] = {
    {"a choice is one successor for each witness",
     "byte x, y; active proctype P() { choose (x: 1 .. 3, y: 0 .. 2) where (x > y); assert(x > y) }", 19, 18},
    {"exists is a condition, and else its opposite",
     "byte n, hit; active proctype P() { do :: n < 5 -> n++; if :: exists (k: 0 .. 3) (k * k == n) -> hit++ :: else "
     "fi "
     ":: else -> break od; assert(hit == 2) }",
     21, 20},
    {"no witness: blocked, and an invalid end state",
     "byte x; active proctype P() { choose (x: 5 .. 4) where (true) }", 1, 0},
    {"the least witness, also as the start of a d_step",
     "byte x, y = 7; active [2] proctype P() { d_step { least (x: 0 .. 200) where (x * x > y * 10); y = x } }", 7, 8},
    {"a d_step whose least has no witness blocks in its middle",
     "byte x; active proctype P() { d_step { x = 1; least (x: 3 .. 4) where (x < 3) } }", 1, 0},
    {"values are truncated to what they are assigned to",
     "byte x; bit b; active proctype P() { choose (x: 254 .. 258, b: 0 .. 3) where (x + b == 258); assert(x != 255) "
     "}",
     13, 12},
    {"negative values, and a short",
     "short s; active proctype P() { choose (s: -3 .. 3) where (s % 2 == -1 || s << 1 == 4); assert(s < 3) }", 10, 9},
    {"ranges are those of the state",
     "byte x, n = 2; active [2] proctype P() { choose (x: n .. n + x) where (x != 3); n = n + x }", 38, 52},
    {"elements of arrays: as targets, and indexed by targets",
     "byte a[3], x; byte i; active proctype P() { i = 1; choose (a[i]: 0 .. 2, x: 0 .. 1) where (a[i] + x == 2); "
     "assert(a[1] == 2 - x) }",
     8, 7},
    {"an array indexed by what is looked for",
     "byte a[4]; active proctype P() { byte k = 2; a[k] = 3; do :: choose (k: 0 .. 3) where (a[k] == 3 || a[(k + 1) "
     "% 4] == 3) "
     "-> a[k] = 1 :: !exists (j: 0 .. 3) (a[j] == 3) -> break od }",
     13, 13},
    {"fields of structures in arrays",
     "typedef T { byte v[2]; short w }; T t[2]; byte least_, where; active proctype P() { t[1].v[0] = 5; t[0].w = "
     "-1; "
     "choose (t[0].v[1]: 0 .. 6) where (where == 0 && t[0].v[1] > t[1].v[0] - 3 && t[0].v[1] < t[1].v[0]) }",
     7, 6},
    {"two-dimensional elements by two targets",
     "typedef R { byte c[3] }; R m[2]; active proctype P() { byte i, j; m[1].c[2] = 9; "
     "choose (i: 0 .. 1, j: 0 .. 2) where (m[i].c[j] == 9); assert(i == 1 && j == 2) }",
     5, 4},
    {"an undefined tuple is an error of the model",
     "byte x, n = 2; active proctype P() { choose (x: 0 .. 4) where (12 / (x - n) > 0) }", 1, 0},
    {"an undefined tuple that && skips is none",
     "byte x, n = 2; active proctype P() { choose (x: 0 .. 4) where (x != n && 12 / (x - n) > 0) }", 5, 4},
    {"a part that has no value in this state, where it is needed and where not",
     "byte x, n; byte a[2]; active proctype P() { n = 2; if :: exists (k: 0 .. 1) (k == 0 || a[n] == k) fi }", 2, 1},
    {"an index out of bounds among the tuples", "byte a[2]; active proctype P() { exists (k: 0 .. 2) (a[k] == 7) }",
     1, 0},
    {"at most so many witnesses",
     "byte x; active proctype P() { choose (x: 0 .. 9) where (x % 2 == 1) max 3; x = 0 }", 6, 7},
    {"so many witnesses and no more",
     "byte x; active proctype P() { choose (x: 0 .. 9) where (x % 4 == 1) max 3; x = 0 }", 6, 7},
    {"channels, processes and timeout are looked at in the state",
     "chan q = [2] of { byte }; byte x; active [2] proctype P() { do :: q ! 1 :: choose (x: 0 .. 2) where (x == "
     "len(q) && "
     "_nr_pr == 2 && q?[1]) :: exists (k: 0 .. 3) (k == len(q) && timeout) -> break od }",
     6, 16},
    {"in atomic sequences, unless and rendezvous",
     "chan r = [0] of { byte }; byte x, y; active proctype A() { byte v; atomic { choose (x: 0 .. 2) where (x != y) "
     "-> r ! x }; "
     "v = 1 } active proctype B() { { choose (y: 1 .. 2) where (x != y); r ? y } unless { exists (k: 2 .. 2) (k == "
     "x) } }",
     23, 27},
    {"enabled looks into the guards of others",
     "byte x; active proctype A() { choose (x: 1 .. 2) where (x > 0); false } active proctype B() { enabled(0) -> "
     "skip }",
     12, 15},
    {"inlines and macros",
     "#define BIG(v) (v > 1)\ninline pick(v, w) { choose (v: 0 .. 3) where (BIG(v) && v != w) }\nbyte x, y; active "
     "proctype P() "
     "{ pick(x, y); pick(y, x) }",
     7, 6},
    {"two lines",
     "byte x, max; active proctype P() { choose (x: 0 .. 3)\n where (max == 0 && x > 1); if :: exists (a: 0 .. 1)\n "
     "(a == x)\n "
     ":: else fi }",
     7, 6},
};

}  // namespace cmc::test
