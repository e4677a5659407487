/* violated: safety
   Trains on a single track with two sidings: all sections may be taken from both ends. */
#define SECTIONS 6
byte taken[SECTIONS];
proctype Train(byte at; bit east) {
  byte next;
  atomic { taken[at]++ };
  do
  :: next = (east -> at + 1 : at - 1);
     if
     :: (east && at == SECTIONS - 1) || (!east && at == 0) -> east = 1 - east
     :: else ->
          atomic { taken[next] < (next == 2 || next == 4 -> 2 : 1) -> taken[next]++ };
          taken[at]--;
          at = next
     fi
  od
}
init { atomic { run Train(0, 1); run Train(5, 0); run Train(2, 1); run Train(4, 0) } }
