/* Declarations behind statements and in blocks are steps; at the start they are not. */
typedef T { byte f; bit g[2] }
int early = 7;

active proctype P() {
  byte x = 2, y;
  short list[3] = { 1, 2 };
  x = y;
  byte z = x + 1, u;
  T t;
  byte w[2] = 5;
  { int inner = z; inner++ };
  if :: byte o; o = 1 :: else fi
}
