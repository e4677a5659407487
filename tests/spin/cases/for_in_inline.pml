/* for and select inside an inline, with a parameter as the variable.
 * expect: holds states=47 transitions=46
 */
byte a[2];
byte s;

inline fill(i, value) {
  for (i : 0 .. 1) {
    a[i] = value + i
  }
}
inline choose(v, hi) {
  select(v : 0 .. hi)
}
active proctype p() {
  byte k, c;
  fill(k, 3);
  choose(c, 2);
  fill(k, c);
  s = a[0] + a[1]
}
