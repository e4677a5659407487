/* Jumps to a label in front of a d_step, which SPIN allows if another d_step ends in it.
 * expect: violated(end-state) states=20 transitions=27 errors=2
 */
byte x, y;

active [2] proctype P() {
  again: d_step { x < 3 -> d_step { x++; x = x }; y = x };
  if
  :: x < 3 -> goto again
  :: else
  fi
}
