/* violated: safety
   A queue of 40 events that two sources fill in any order; the reader checks the order of the first only. */
chan events = [40] of { byte, byte };
active proctype One() { byte i; do :: i < 40 -> events ! 1, i; i++ :: else -> break od }
active proctype Two() { byte i; do :: i < 40 -> events ! 2, i; i++ :: else -> break od }
active proctype Reader() {
  byte who, what, first, second;
  do
  :: events ? who, what -> if :: who == 1 -> assert(what == first); first++ :: who == 2 -> second++; assert(second <= first + 12) fi
  :: timeout -> break
  od
}
