/* An atomic sequence that blocks in the middle loses control and takes it up again.
 * expect: holds states=9 transitions=10
 */
byte x, y;

active [2] proctype p() {
  atomic {
    x++;
    y == 0;
    y = 1;
    x > 1 || _pid == 0;
    y = 0
  }
}
