/* Assignments to narrow types cut the value: unsigned, bit, byte, short.
 * expect: holds states=164 transitions=259
 */
unsigned u : 3 = 5;
unsigned w : 12;
bit b;
byte y;
short s;
int i;

active proctype p() {
  do
  :: u != 0 -> u = u + 3
  :: u == 0 -> break
  od;
  i = 65536 * 3 + 40001;
  s = i;
  y = i;
  b = i;
  w = -1;
  y = y - 200;
  s = -s * 2;
  i = 2147483647;
  i++;
  assert(i < 0);
  u = w
}
active proctype q() {
  u = 15;
  s--
}
