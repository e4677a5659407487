/* Values that do not fit are truncated: initial values, assignments, arguments of run, fields of messages.
 * expect: holds states=27 transitions=41
 */
byte x = 256;
byte y = -1;
short s = 40000;
unsigned u : 3 = 9;
bool b = 5;
byte a[2] = { 1, 257 };
chan q = [2] of { byte, bit };
proctype Q(byte k; short l) {
  assert(k == 0 && l == -32768);
  x = x + k
}
init {
  byte z = 300;
  assert(x == 0 && y == 255 && s == -25536 && u == 1 && b == 1 && a[1] == 1 && z == 44);
  run Q(256, 32768);
  q!257, 2;
  q?x, b;
  assert((x == 1 || x == 0) && b == 0);
  d_step { y = 1000; u = y + 8 };
  y++
}
