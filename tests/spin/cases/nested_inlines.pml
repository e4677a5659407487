/* Inlines that call inlines, with parameters passed on, and locals of their own.
 * expect: holds states=3175 transitions=5203
 */
byte a, b;

inline swap(p, q) {
  byte t;
  t = p;
  p = q;
  q = t
}
inline order(p, q) {
  if
  :: p > q -> swap(p, q)
  :: else
  fi
}
inline twice(p, q) {
  order(p, q);
  order(q, p)
}

active proctype one() {
  a = 3; b = 1;
  order(a, b);
  twice(a, b)
}
active proctype two() {
  b = 2;
  twice(b, a)
}
