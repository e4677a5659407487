/* An atomic escape, and an atomic main sequence that an escape interrupts at its first step only.
 * expect: violated(end-state) states=73 transitions=99 errors=2
 */
byte x, y;

active proctype p() {
  do
  :: atomic { x < 3; x++; y++ } unless { atomic { y == 2; x = x + 2; y = 0 } }
  :: x > 3 -> break
  od;
  { atomic { x = 1; y = 1 }; x = 2 } unless { d_step { y == 1; y = 5; } }
}
active proctype q() {
  y = 2;
  y = 1
}
