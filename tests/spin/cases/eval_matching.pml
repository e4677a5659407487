/* eval, constants and `_` in receives, of buffered and rendezvous channels.
 * expect: violated(end-state) states=48 transitions=55 errors=1
 */
chan q = [2] of { byte, byte, bool };
chan r = [0] of { byte, byte };
byte want = 1, got;

active proctype sender() {
  q!1, 5, true;
  q!2, 6, false;
  r!want, 7;
  r!3, 8
}
active proctype receiver() {
  byte x;
  do
  :: q?eval(want), x, _ -> want++
  :: q?eval(want + 1), _, false -> got = 9
  :: r?eval(want), x -> got = x
  :: r?3, eval(got + 1) -> break
  :: r?3, 8 -> want = 0; break
  od
}
