/* Three levels of unless; the outer escape goes before the inner one.
 * expect: holds states=187 transitions=338
 */
byte x, y;

active proctype p() {
  { { { y = 1; y = 2; y = 3 } unless { x == 1 -> y = 10; y = 11 } } unless { x == 2 -> y = 20 }; y = 30 }
  unless { x == 3 -> y = 40 };
  y = 50
}
active proctype q() {
  do
  :: x < 4 -> x++
  :: x == 4 -> break
  od
}
