/* Progress and acceptance labels change no counts.
 * expect: incomplete states=4 transitions=4
 */
byte x;

active proctype p() {
accept_start:
  do
  :: x == 0 -> progress: x = 1
  :: x == 1 -> progress_2: x = 0
  od
}
