/* Processes that are created and end, in and out of order; process numbers are used again.
 * expect: holds states=72 transitions=115
 */
byte born, died;

proctype child(byte n) {
  born++;
  if
  :: n > 0 -> run child(n - 1)
  :: n == 0
  fi;
  died++
}
init {
  pid p;
  p = run child(1);
  assert(p > 0);
  (_nr_pr == 1);
  run child(0);
  _nr_pr < 3 -> p = run child(0);
  died == 4
}
