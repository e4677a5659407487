/* Values are cut to the type of the message field, then to the variable.
 * expect: holds states=8 transitions=7
 */
chan q = [1] of { byte, bit, short };
int a;
byte b;
bit c;

active proctype p() {
  q!300, 3, 70000;
  q?a, b, c;
  assert(a == 44 && b == 1 && c == 0);
  q!-1, -2, -3;
  q?a, c, b;
  assert(a == 255 && b == 253)
}
