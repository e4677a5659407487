/* A hidden variable is read in a d_step that has not written it on each path.
 * expect: incomplete states=4 transitions=8
 */
byte x;
hidden byte kept;

active proctype p() {
  do
  :: d_step { if :: x == 0 -> kept = 1 :: else fi; x = (x + kept) % 4 }
  :: kept = x
  od
}
