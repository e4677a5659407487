/* A D_proctype whose choices never overlap.
 * expect: violated(end-state) states=32 transitions=42 errors=1
 */
byte x;

active D_proctype p() {
  do
  :: x < 3 -> x++
  :: x == 3 -> x = 5
  :: x > 3 -> break
  od
}
active proctype q() {
  x == 1 -> x = 4
}
