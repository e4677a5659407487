/* violated: ltl top
   A lift serves the nearest floor; somebody at the top waits for ever. */
#define FLOORS 6
bool called[FLOORS];
byte at;
active proctype Lift() {
  byte d;
  do
  :: d = 0;
     do
     :: d < FLOORS && at >= d && called[at - d] -> at = at - d; called[at] = false; break
     :: d < FLOORS && at + d < FLOORS && called[at + d] -> at = at + d; called[at] = false; break
     :: d < FLOORS && !(at >= d && called[at - d]) && !(at + d < FLOORS && called[at + d]) -> d++
     :: d == FLOORS -> break
     od
  od
}
active [2] proctype Person() {
  byte f;
  do
  :: select(f : 0 .. FLOORS - 1); called[f] = true
  od
}
ltl top { [] (called[5] -> <> (at == 5)) }
