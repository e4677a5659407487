/* Processes end in reverse order of creation only; _nr_pr shows it.
 * expect: violated(end-state) states=195 transitions=364 errors=3
 */
byte n, seen;

proctype p(byte k) {
  n++;
  seen = _nr_pr;
}
init {
  run p(1);
  run p(2);
  run p(3);
  n == 3;
  _nr_pr == 2;
  n = 9
}
