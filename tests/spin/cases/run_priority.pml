/* run with priorities inside expressions, get_priority of others.
 * expect: holds states=12 transitions=11
 */
byte x;

proctype p(byte n) {
  x = x + n;
  x = get_priority(_pid)
}
init {
  pid a;
  a = run p(1) priority 5;
  run p(2) priority 2;
  x = get_priority(a);
  set_priority(a, 1)
}
