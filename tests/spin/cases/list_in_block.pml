/* A list of one value in a block, or after a statement: all elements have it from the start, and a step gives it to the
 * first one again.
 * expect: violated(assertion) states=20 transitions=19 errors=1
 */
active proctype p() {
  byte i;
  assert(true);
  { bit a[3] = {1}; assert(a[0] == 1 && a[2] == 1); a[1] = 0 };
  do
  :: i < 2 ->
    byte b[3] = {5};
    assert(b[1] == 5);
    i++; b[0] = 0; b[1] = 0
  :: else -> break
  od;
  assert(b[0] == 0)
}
