/* violated: safety
   A lift of eight floors: the doors may open while the car still moves past a floor that somebody has called. */
#define FLOORS 8
bool called[FLOORS];
byte floor;
bool moving, open, up = true;
active proctype Car() {
  do
  :: !open && up && floor < FLOORS - 1 -> moving = true; floor++; if :: called[floor] -> moving = false :: else fi
  :: !open && !up && floor > 0 -> moving = true; floor--; if :: called[floor] -> moving = false :: else fi
  :: floor == 0 -> up = true
  :: floor == FLOORS - 1 -> up = false
  od
}
active proctype Doors() {
  do
  :: called[floor] && !open -> open = true; assert(!moving); called[floor] = false; open = false
  od
}
active proctype People() {
  byte where;
  do
  :: select(where : 0 .. FLOORS - 1); called[where] = true
  od
}
