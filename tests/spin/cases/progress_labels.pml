/* Progress and acceptance labels change no counts.
 * expect: holds property=safety states=4 transitions=4
 * expect: violated(acceptance-cycle) property=accept
 * expect: holds property=non-progress
 */
byte x;

active proctype p() {
accept_start:
  do
  :: x == 0 -> progress: x = 1
  :: x == 1 -> progress_2: x = 0
  od
}
