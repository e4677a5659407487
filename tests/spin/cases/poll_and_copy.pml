/* Polls and receives that leave the message in the channel.
 * expect: holds states=64 transitions=85
 */
chan q = [3] of { byte, byte };
byte a, b;

active proctype p() {
  q!3, 1; q!2, 2; q!1, 3
}
active proctype r() {
  do
  :: q?<a, b> -> assert(a + b == 4)
  :: q??<2, b> -> q??2, _
  :: q??[1, _] && !q?[3, _] -> q??1, b; break
  :: full(q) -> q?_, _
  od
}
