/* Assignments in guards, expressions as statements, skip and true as guards, empty else.
 * expect: violated(end-state) states=111 transitions=175 errors=4
 */
int x = 2;

active proctype p() {
  if
  :: x = x + 1; x == 3
  :: x -> x--
  :: (x - 2) -> x = 7
  :: skip -> x = 8
  :: true; x = 9
  :: else
  fi;
  x != 0;
  -x;
  x % 2 -> x++
}
active proctype q() {
  x = 0;
  x = 1
}
