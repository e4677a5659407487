/* A provided clause that becomes false in the middle of an atomic sequence.
 * expect: violated(end-state) states=19 transitions=19 errors=4
 */
byte stop, x;

active [2] proctype p() provided (stop == 0 || _pid == 1) {
  atomic { x++; stop = 1; x++; x++; stop = 0 };
  d_step { x++; stop = 1; x--; };
  x = 9
}
