/* Processes that end in another order than they were created, one with a local channel.
 * expect: holds states=125 transitions=216
 */
byte x;

proctype A(){
  x++
}

proctype B(){
  chan c=[1] of {byte};
  c!1;
  x++;
  c?1
}

init {
  run A();
  run B();
  run A();
  x==3;
  run B()
}
