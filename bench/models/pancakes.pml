/*
 * A pile of N pancakes of different sizes; a step turns the upper ones over (Goodman 1975). All orders are reached.
 *
 * Bad for a checker that remembers steps: there is one process, and its steps look at the whole array, so each state
 * needs a computation of its own (0 % known). A step writes up to N cells.
 *
 * Options: -DN=...  pancakes, 2 to 10: N! + 1 states
 * Property: no pancake is lost or doubled (assertion).
 *
 * expect: holds states=121 transitions=481 with -DN=5
 * expect: holds states=3628801 transitions=32659201 with -DN=10 slow
 */
#ifndef N
#define N 5
#endif

byte pancake[N];

inline turn(count) {
  d_step {
    count <= N ->
      j = count - 1;
      do
      :: i < j ->
           held = pancake[i];
           pancake[i] = pancake[j];
           pancake[j] = held;
           i++;
           j--
      :: else -> break
      od;
      held = 0;
      for (i : 0 .. N - 1) { held = held + pancake[i] }
      assert(held == N * (N - 1) / 2);
      i = 0; j = 0; held = 0
  }
}

active proctype cook() {
  byte held, i, j;

  d_step {
    for (i : 0 .. N - 1) { pancake[i] = i }
    i = 0
  }
  do
  :: turn(2)
  :: turn(3)
  :: turn(4)
  :: turn(5)
  :: turn(6)
  :: turn(7)
  :: turn(8)
  :: turn(9)
  :: turn(10)
  od
}
