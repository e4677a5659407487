/* Nested structures: assignment of fields, structures in messages and as parameters.
 * expect: holds states=15 transitions=16
 */
typedef Inner { byte a; bit f }
typedef Outer { Inner in; short s; mtype m }
mtype = { yes, no };
chan c = [1] of { Outer };
Outer g;

proctype p(Inner i) {
  Outer o;
  o.in.a = i.a;
  o.in.f = i.f;
  o.s = -3;
  o.m = yes;
  c!o
}
init {
  Inner k;
  k.a = 4;
  k.f = 1;
  run p(k);
  c?g;
  assert(g.in.a == 4 && g.in.f == 1 && g.s == -3 && g.m == yes)
}
