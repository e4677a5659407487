/* else and blocking guards inside atomic; a loop that ends the atomic sequence.
 * expect: holds states=20 transitions=25
 */
byte x, y;

active proctype p() {
  atomic {
    do
    :: x < 3 -> x++; if :: y == 1 -> y == 2 :: else -> skip fi
    :: else -> break
    od
  };
  y = 3
}
active proctype q() {
  y = 1;
  y = 2
}
