/* ?? with constants, eval, several matching messages, and copies.
 * expect: violated(end-state) states=94 transitions=144 errors=10
 */
mtype = { a, b };
chan q = [4] of { mtype, byte };
byte x, y;

active proctype p() {
  q!a, 1; q!b, 2; q!a, 3; q!b, 4
}
active proctype r() {
  do
  :: q??b, x
  :: q??a, eval(x + 1) -> y++
  :: q??<a, y> -> q??a, eval(y)
  :: q??[b, 4] -> q?_, _
  :: y > 2 && x == 4 -> break
  od
}
