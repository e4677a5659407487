/* Channels as parameters, in arrays, and passed through channels.
 * expect: holds states=47 transitions=75
 */
chan pool[2] = [1] of { byte, chan };
chan reply = [1] of { byte };

proctype server(chan requests; byte add) {
  byte v;
  chan back;
  requests?v, back;
  back!v + add
}
init {
  byte r;
  run server(pool[0], 1);
  run server(pool[1], 2);
  pool[0]!10, reply;
  pool[1]!20, reply;
  reply?r;
  assert(r == 11 || r == 22);
  reply?r
}
