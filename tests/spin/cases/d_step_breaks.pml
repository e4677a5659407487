/* break and goto at the end of d_step, d_step in options, d_step with a guard that blocks.
 * expect: holds states=71 transitions=114
 */
byte x;

active [2] proctype p() {
  do
  :: d_step { x < 3; x++; }
  :: d_step { x >= 3; x = x + 10; }; break
  :: d_step { if :: x > 12 -> x = 0 fi; }; break
  od;
  skip;
  d_step {
    do
    :: x > 9 -> x--
    :: x <= 9 -> break
    od
  };
  d_step { x > 1; x-- } unless { x == 0 }
}
