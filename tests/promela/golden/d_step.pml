/* d_step with a guard, a loop, a selection, jumps inside, break, and one in an option. */
chan q = [1] of { byte };
byte x;

active proctype P() {
  d_step {
    q?x;
    do
    :: x > 3 -> x--; if :: x == 5 -> goto out :: else fi
    :: else -> break
    od;
out:
    x = 1
  };
  do
  :: d_step { x < 3; x++ }
  :: d_step { if :: x == 3 -> x = 0 :: x == 4 -> x = 1 fi }; break
  od
}
