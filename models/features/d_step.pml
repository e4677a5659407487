/*
 * atomic and d_step: sorting an array that somebody else fills.
 *
 * Shows: what the two have in common and what not. A d_step is a single step: its inside is deterministic, never
 * blocks and is no state in any step mode. An atomic sequence is a chain of steps without interruption: it may choose
 * and may block (then it loses the control), and --steps statement shows its inside.
 *
 * Options: -DLENGTH=...  of the array
 *          -DVALUES=...  different values
 *          -DINDIVISIBLE=d_step (default) or atomic
 * Property: after sorting the array is in order and has the sum that it had (assertions).
 *
 * expect: holds states=179 transitions=259
 * expect: holds states=179 transitions=259 with -DINDIVISIBLE=atomic
 * expect: holds states=1144 transitions=1224 steps=statement
 * expect: holds states=2845 transitions=2925 steps=statement with -DINDIVISIBLE=atomic
 */
#ifndef LENGTH
#define LENGTH 4
#endif
#ifndef VALUES
#define VALUES 3
#endif
#ifndef INDIVISIBLE
#define INDIVISIBLE d_step
#endif

byte cell[LENGTH];
byte sum;
bool full_up;

active proctype filler() {
  byte i, value;
  do
  :: atomic {
       !full_up;
       for (i : 0 .. LENGTH - 1) {
         select(value : 0 .. VALUES - 1);
         cell[i] = value;
         sum = sum + value
       }
       i = 0; value = 0;
       full_up = true
     }
  od
}

active proctype sorter() {
  byte i, j, held;
  do
  :: full_up ->
       INDIVISIBLE {  /* insertion sort */
         for (i : 1 .. LENGTH - 1) {
           held = cell[i];
           j = i;
           do
           :: j > 0 && cell[(j > 0 -> j - 1 : 0)] > held -> cell[j] = cell[j - 1]; j--
           :: else -> break
           od;
           cell[j] = held
         }
         i = 0; j = 0; held = 0
       };
       INDIVISIBLE {
         for (i : 0 .. LENGTH - 1) {
           assert(cell[(i > 0 -> i - 1 : 0)] <= cell[i]);
           sum = sum - cell[i];
           cell[i] = 0
         }
         i = 0;
         assert(sum == 0)
       };
       full_up = false
  od
}
