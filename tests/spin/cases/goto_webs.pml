/* Jumps that lead to jumps, into loops and selections, out of nested loops, and backwards.
 * expect: holds states=2013 transitions=2265
 */
byte x;

active proctype p() {
  goto a;
b:
  goto c;
a:
  do
  :: x < 2 ->
    do
    :: x++ -> goto b
inner:
      x = x + 2
    :: x > 0 -> break
    od
  :: x >= 2 -> goto inner
  :: x > 5 -> goto d
  od;
c:
  if
  :: x < 6 -> goto a
  :: else -> skip
  fi;
d:
  skip
}
