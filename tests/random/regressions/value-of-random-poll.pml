/* q??[...] with something to match yields the number of the message, from 1.
 * expect: states=5 transitions=4 assertions=0 errors=0
 */
chan q = [2] of { byte };
active proctype P() {
  q!1;
  q!2;
  assert(q??[2] == 2)
}
