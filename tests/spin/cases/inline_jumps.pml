/* Jumps and labels in inlines, break out of the loop around the call.
 * expect: holds states=44 transitions=68
 */
byte x;

inline step(limit) {
  if
  :: x < limit -> x++
  :: x >= limit -> break
  fi
}
inline wait_for(v) {
  do
  :: x == v -> goto done
  :: x != v -> x--
  od
}
active proctype p() {
  do
  :: step(4)
  od;
  wait_for(2);
  x = 77;
done:
  x = 0
}
active proctype q() {
  x = 3
}
