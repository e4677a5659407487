/* Nested loops, break, else and jumps in a d_step are one step.
 * expect: holds states=19 transitions=24
 */
byte m[4];
byte total;

active [2] proctype p() {
  byte i, j;
  d_step {
    i = 0;
    do
    :: i < 4 ->
      j = 0;
      do
      :: j < i -> j++; if :: j == 2 -> goto next :: else fi
      :: else -> break
      od;
next: m[i] = m[i] + j;
      i++
    :: else -> break
    od;
    i = 0; j = 0
  };
  total = total + m[_pid + 2]
}
