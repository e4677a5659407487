/* A never claim with else, labels and remote references: the counts are the system's.
 * expect: holds property=safety states=10 transitions=9
 * expect: holds property=never_0
 */
byte x;

active proctype p() {
loop:
  do
  :: x < 3 -> x++
  :: x == 3 -> break
  od;
done:
  x = 0
}
never {
start:
  do
  :: p[0]@done && x == 3 -> goto accept_done
  :: !(p[0]@loop) -> break
  :: else
  od;
accept_done:
  do
  :: x != 0
  od
}
