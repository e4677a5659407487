/* end labels on a loop and, with a suffix, on a condition.
 * expect: holds states=7 transitions=6
 */
byte x;

proctype A(){
  end: do
  :: x>0 -> x--
  od
}

init {
  run A();
  x=2;
  end_init: (x==9)
}
