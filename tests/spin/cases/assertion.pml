/* A race that an assertion finds: a lost update.
 * expect: violated(assertion) states=32 transitions=40 errors=1
 */
byte n;

proctype add() {
  byte t;
  t = n;
  n = t + 1
}
init {
  run add();
  run add();
  (_nr_pr == 1);
  assert(n == 2)
}
