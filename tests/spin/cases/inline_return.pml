/* Inlines with a return value, used in assignments to variables, elements and fields.
 * expect: violated(assertion) states=65 transitions=96 errors=2
 */
typedef T { byte f }
T t;
byte a[2];

inline maximum(x, y) {
  byte m;
  if
  :: x > y -> m = x
  :: else -> m = y
  fi;
  return m
}
active proctype p() {
  byte z;
  z = maximum(3, 4);
  a[1] = maximum(z, 2);
  t.f = maximum(a[1], z + 1);
  assert(t.f == 5)
}
active proctype q() {
  a[1] = 9
}
