/* An array of rendezvous channels, chosen by index at run time.
 * expect: holds states=764 transitions=1645
 */
chan c[2] = [0] of { byte };
byte got[2];

active [2] proctype sender() {
  byte k;
  do
  :: k < 2 -> c[k]!_pid; k++
  :: k == 1 -> c[1 - _pid]!7; k++
  :: k == 2 -> break
  od
}
active proctype receiver() {
  byte i;
  do
  :: c[0]?got[0] -> i++
  :: c[1]?got[1] -> i++
  :: i > 3 -> break
  od
}
