/* atomic in atomic, d_step in atomic, atomic with a block and a selection at its end.
 * expect: holds states=13 transitions=18
 */
byte x;

active [2] proctype p() {
  atomic {
    x++;
    atomic { x++; x < 5; x++ };
    d_step { x++; x-- };
    { x--; x-- };
    if
    :: x > 3 -> x = 0
    :: else -> skip
    fi
  };
  x++
}
