/* A parameter of type mtype.
 * expect: violated(end-state) states=5 transitions=4 errors=1
 */
mtype={ping,pong};
chan c=[1] of {mtype};

proctype P(mtype m){
  c!m;
  m = pong
}

init {
  run P(ping);
  c?pong;
  c?ping
}
