/* Values of run, _pid and _nr_pr in expressions.
 * expect: holds states=75 transitions=133
 */
pid saved[3];

proctype p(byte n) {
  saved[n] = _pid;
  _nr_pr <= 3;
}
init {
  pid q = _pid;
  saved[0] = run p(1);
  q = saved[0] + _nr_pr;
  if
  :: run p(2) -> skip
  fi;
  assert(q >= 2)
}
