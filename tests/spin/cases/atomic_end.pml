/* An atomic sequence as the last statement of a proctype, with the process ending inside it.
 * expect: holds states=47 transitions=78
 */
byte x;

proctype p() {
  atomic { x++; x++ }
}
proctype q() {
  d_step { x++; x++ }
}
init {
  run p(); run q(); run p();
  x == 6;
  _nr_pr == 1
}
