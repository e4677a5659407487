/* Escapes that break, continue and jump out of a loop.
 * expect: holds states=81 transitions=144
 */
byte x, n;

active proctype p() {
again:
  do
  :: { x = 1; x = 2; x = 3 } unless { n == 1 -> break }
  :: { x = 4; x = 5 } unless { n == 2 -> goto again }
  :: { x = 6 } unless { n == 3 -> goto out }
  od;
  x = 7;
out:
  x = 8
}
active proctype q() {
  n = 1; n = 2; n = 3
}
