/* A variable that has the name of an mtype set is one for all processes.
 * expect: violated(assertion) states=13 transitions=18 errors=5
 */
mtype:color = { red, green };

active [2] proctype P() {
  byte color;
  color++;
  assert(color == 1)
}
