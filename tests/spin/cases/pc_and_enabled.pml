/* pc_value and enabled of other processes.
 * expect: violated(end-state) states=45 transitions=60 errors=3
 */
byte x;

active proctype p() {
  x < 2 -> x++;
  x == 2;
  x++
}
active proctype q() {
  do
  :: enabled(0) && x < 2 -> x++
  :: !enabled(0) -> break
  :: pc_value(0) > 2 -> x = 2
  od
}
