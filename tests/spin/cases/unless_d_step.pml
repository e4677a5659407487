/* A d_step as main sequence of an unless, and a timeout as escape.
 * expect: holds states=15 transitions=18
 */
byte x;
chan q = [1] of { byte };

active proctype p() {
  { d_step { x > 0; x++; x++ }; x == 7 } unless { timeout; x = 50 };
  x++
}
active proctype r() {
  x = 1;
  q!1;
  q!2 unless { x > 40 };
  x--
}
