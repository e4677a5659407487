/* Labels inside and behind unless, reached by jumps from outside.
 * expect: holds states=72 transitions=116
 */
byte x, n;

active proctype p() {
  if
  :: goto inside
  :: skip
  fi;
  { x = 1;
inside:
    x = 2;
    x = 3 } unless { n == 1 -> n = 0; if :: x == 3 -> goto inside :: else fi };
  x = 4
}
active proctype q() {
  n = 1;
  n = 1
}
