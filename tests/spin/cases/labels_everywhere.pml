/* Several labels on one statement, labels on jumps, on skip, on if and do, and at the end of a body.
 * expect: holds property=safety states=20 transitions=19
 * expect: holds property=accept
 * expect: holds property=non-progress
 */
byte x;

active proctype p() {
a: b: c:
  x++;
d: goto e;
  x = 50;
e: f:
  if
  :: x < 3 -> goto a
  :: x >= 3 -> goto g
  fi;
g: skip;
h: do
  :: x > 0 -> x--; if :: x == 1 -> goto h :: else fi
  :: x == 0 -> goto k
  od;
k: progress_here: accept_here:
  skip
}
