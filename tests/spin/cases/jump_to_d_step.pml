/* Jumps to a label in front of a d_step, which SPIN allows if another d_step ends in it.
 * expect: holds states=20 transitions=27
 */
byte x, y;

active [2] proctype P() {
  again: d_step { x < 3 -> d_step { x++; x = x }; y = x };
  if
  :: x < 3 -> goto again
  :: else
  fi
}
