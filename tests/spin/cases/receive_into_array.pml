/* Receives into elements by variable index and into fields.
 * expect: violated(end-state) states=13 transitions=15 errors=3
 */
typedef R { byte v[2] }
chan c = [2] of { byte, byte };
byte a[3];
R r;

active proctype p() {
  byte i;
  c!1, 2; c!2, 1;
  c?i, a[0];
  c?a[i], r.v[i]
}
active proctype q() {
  c?a[0], a[1]
}
