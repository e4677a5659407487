/* xr and xs claims, with len, full, empty on the way.
 * expect: holds states=57 transitions=88
 */
chan q = [2] of { byte };
byte n;

active proctype s() {
  xs q;
  do
  :: nfull(q) && n < 4 -> q!n; n++
  :: n >= 4 -> break
  od
}
active proctype r() {
  xr q;
  byte v;
  do
  :: nempty(q) -> q?v
  :: empty(q) && n >= 4 -> break
  od
}
