/* Conditional expressions as values, indices, in sends and guards.
 * expect: holds states=10 transitions=9
 */
byte a[3];
chan c = [1] of { byte };

active proctype p() {
  byte i;
  do
  :: (i < 3 -> a[i] == 0 : 0) ->
    a[(i == 2 -> 0 : i + 1)] = (i > 0 -> 5 : 6);
    c!(a[i] > 5 -> i : 9);
    i++
  :: c?_
  :: i == 3 || (a[i] != 0 -> 1 : 0) -> break
  od
}
