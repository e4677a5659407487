/* `timeout` in several processes at once, and inside a larger condition.
 * expect: violated(end-state) states=354 transitions=743 errors=2
 */
chan q = [1] of { byte };
byte lost;

active [2] proctype sender() {
  byte tries;
  do
  :: tries < 2 -> q!_pid; tries++
  :: timeout -> lost++; break
  od
}
active proctype receiver() {
  byte v;
  do
  :: q?v
  :: q?v -> q?v
  :: (timeout || lost == 2) && lost > 0 -> break
  od
}
