/* Processes created inside atomic, that block while the creator goes on.
 * expect: violated(end-state) states=46 transitions=73 errors=2
 */
byte x;

proctype child(byte n) {
  atomic { x == n -> x++ };
  x--
}
init {
  atomic {
    run child(1);
    run child(0);
    x == 0;
    run child(2)
  };
  x == 0
}
