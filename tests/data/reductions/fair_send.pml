/* As fair_receive.pml, at the other end: the receiver's step makes the waiter's send possible, and the filler takes
   that back. */
chan c = [1] of { byte };
byte y = 1;
bool x;

active proctype waiter() {
  if
  :: c!2 -> x = true
  :: y == 1 -> x = true
  fi
}
active proctype filler() provided (y == 1) {
  do
  :: c!1
  od
}
active proctype toggler() {
  do
  :: y = 1 - y
  od
}
active proctype receiver() {
  do
  :: c?_
  od
}
ltl moves { <> x }
