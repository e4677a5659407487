/* Channels declared in proctypes that end: their queues go with the process.
 * expect: holds states=67 transitions=94
 */
byte x;

proctype p(byte n) {
  chan c = [2] of { byte };
  chan d = [1] of { byte };
  c!n;
  c!n + 1;
  c?x;
  d!x
}
init {
  run p(1);
  run p(5);
  _nr_pr == 1;
  run p(9)
}
