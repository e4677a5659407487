/* Inlines with parameters and return values, nested; labels reached through one. */
byte x, y;

inline add(a, b) { byte t; t = a + b; return t }
inline twice(v) { v = add(v, v); v++ }
inline until(v, n) {
  do
  :: v >= n -> break
  :: else -> twice(v)
  od
}
active proctype P() {
  until(x, 4);
  if
  :: twice(y)
  :: until(y, 3); goto end_here
  fi;
end_here:
  skip
}
