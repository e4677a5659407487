/* Variables that have the names of mtype sets get their values once, but by a step where they are declared later.
 * expect: holds states=31 transitions=50
 */
mtype:color = { red, green };
mtype:shape s;
byte n;

active [2] proctype P() {
  byte color = 5;
  atomic { n++; color++ };
  byte shape = 2;
  assert(color == 5 + n);
  s = shape
}
