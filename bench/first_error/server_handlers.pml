/* violated: safety
   A server starts a handler for each request and reuses its identity before the old one has ended. */
chan requests = [4] of { byte };
byte busy[4];
byte served;
proctype Handler(byte client) {
  byte step;
  busy[client]++;
  assert(busy[client] == 1);
  do :: step < 3 -> step++ :: step == 3 -> break od;
  busy[client]--
}
active proctype Server() {
  byte c;
  do
  :: requests ? c -> if :: served < 40 -> run Handler(c); served++ :: else fi
  od
}
active [4] proctype Client() {
  byte me = _pid - 1;
  do
  :: busy[me] == 0 -> requests ! me
  od
}
