/* Q can always move, so that under weak fairness no run of P alone is fair. Where its steps are left out beside those of
   P, Q must not count as a process that cannot move. */
byte x;
bit y;

active proctype P() {
  do
  :: x = 1; x = 2; x = 3
  od
}
active proctype Q() {
  do
  :: y = 1 - y
  od
}
ltl moves { [] <> (y == 1) }
