/* Messages that are structures with a channel field.
 * expect: holds states=87 transitions=141
 */
typedef Request { byte op; chan reply }
chan server = [1] of { Request };

proctype client(byte n) {
  chan mine = [1] of { byte };
  Request r;
  byte answer;
  r.op = n;
  r.reply = mine;
  server!r;
  mine?answer;
  assert(answer == n + 1)
}
active proctype serve() {
  Request r;
end:
  do
  :: server?r -> r.reply!r.op + 1
  od
}
init {
  atomic { run client(3); run client(7) }
}
