/* Channels sent in messages: a server answers on the channel that it received.
 * expect: holds states=60 transitions=90
 */
chan g = [1] of {chan, byte};

proctype S(chan c; byte k){
  chan me = [1] of {byte};
  byte r;
  c!me,k;
  me?r;
  assert(r==k+1)
}

init {
  chan x;
  byte y;
  run S(g,3);
  run S(g,4);
  do
  :: g?x,y -> x!y+1
  :: timeout -> break
  od
}
