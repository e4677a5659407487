/* violated: safety
   A log in a ring of 16 slots with positions that only grow: the reader takes the remainder of a negative number. */
#define SLOTS 16
byte slot[SLOTS];
short head = 0, tail = 0;

active proctype Writer() {
  short at;
  do
  :: head - tail < 3 ->
       at = head % SLOTS;
       assert(at >= 0);
       slot[at] = 1;
       head++
  od
}

active proctype Reader() {
  short at;
  do
  :: head != tail ->
       at = tail % SLOTS;
       assert(at >= 0);
       slot[at] = 0;
       tail++
  od
}
