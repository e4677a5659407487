/* violated: ltl safe
   A gate that closes too late, with clocks that tick; the deadlocks beside it are looked for in millions of states. */
mtype = { far, near, inside, opened, closing, closed, opening };
mtype train[3] = far; mtype gate = opened; byte tc[3]; byte gc; byte clock;
bool ticked;
active proctype Clock() {
  byte i;
  do
  :: d_step {
       (train[0] != near || tc[0] < 5) && (train[1] != near || tc[1] < 5) && (train[2] != near || tc[2] < 5) && (gate != closing || gc < 6) ->
       i = 0; do :: i < 3 -> if :: tc[i] < 9 -> tc[i]++ :: else fi; i++ :: else -> break od; i = 0;
       if :: gc < 9 -> gc++ :: else fi; clock = (clock + 1) % 100 }
  od
}
proctype Train(byte i) {
  do
  :: train[i] == far -> d_step { train[i] = near; tc[i] = 0 }
  :: train[i] == near && tc[i] >= 3 -> d_step { train[i] = inside; tc[i] = 0 }
  :: train[i] == inside && tc[i] >= 2 -> d_step { train[i] = far; tc[i] = 0 }
  od
}
active proctype Gate() {
  do
  :: gate == opened && (train[0] == near || train[1] == near || train[2] == near) -> d_step { gate = closing; gc = 0 }
  :: gate == closing && gc >= 2 -> gate = closed
  :: gate == closed && train[0] == far && train[1] == far && train[2] == far -> d_step { gate = opening; gc = 0 }
  :: gate == opening -> gate = opened
  od
}
init { atomic { run Train(0); run Train(1); run Train(2) } }
ltl safe { [] ((train[0] == inside || train[1] == inside) -> gate == closed) }
