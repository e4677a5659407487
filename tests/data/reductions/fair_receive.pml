/* The sender's step makes the waiter's receive possible, and the taker takes that back. So under weak fairness, the
   sender's step may not be taken first: the state where the waiter cannot move (no message, y == 0) would be left out,
   and with it the fair run in which the waiter never moves. */
chan c = [1] of { byte };
byte y = 1;
bool x;

active proctype waiter() {
  if
  :: c?_ -> x = true
  :: y == 1 -> x = true
  fi
}
active proctype taker() provided (y == 1) {
  do
  :: c?_
  od
}
active proctype toggler() {
  do
  :: y = 1 - y
  od
}
active proctype sender() {
  do
  :: c!1
  od
}
ltl moves { <> x }
