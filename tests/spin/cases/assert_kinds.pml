/* Assertions: with and without parentheses, on channels, failing in one of several interleavings.
 * expect: violated(assertion) states=56 transitions=81 errors=9
 */
chan c = [2] of { byte };
byte x;

active proctype p() {
  assert x < 5;
  c!1;
  assert(nfull(c) || x == 1);
  assert len(c) > 0;
  x++
}
active proctype q() {
  c!2;
  c?x;
  assert(x != 2)
}
