/*
 * Remote calls through a broker, all by rendezvous: clients compute arguments, the broker looks for an idle server, the
 * server computes and answers the client itself. Between the meetings everybody has local steps.
 *
 * Options: -DCLIENTS=..., -DSERVERS=...
 *          -DCALLS=...     of each client
 *          -DHASTY         the broker forgets to mark a server as busy
 * Property: each answer belongs to its question (assertion); no deadlock. Violated (deadlock) for HASTY.
 *
 * expect: holds with -DCALLS=1
 * expect: violated(end-state) with -DCALLS=1 -DHASTY
 * expect: holds slow
 */
#ifndef CLIENTS
#define CLIENTS 2
#endif
#ifndef SERVERS
#define SERVERS 2
#endif
#ifndef CALLS
#define CALLS 2
#endif

chan ask = [0] of { byte, byte };
chan work[SERVERS] = [0] of { byte, byte };
chan idle = [0] of { byte };
chan answer[CLIENTS] = [0] of { byte };

proctype client(byte me) {
  byte call, argument, result;

  for (call : 1 .. CALLS) {
    argument = me;
    do
    :: argument < 5 -> argument = argument + 2
    :: else -> break
    od;
    if
    :: argument = argument + call
    :: skip
    fi;
    ask ! me, argument;
    answer[me] ? result;
    assert(result == 2 * argument + 1);
    argument = 0; result = 0
  }
}

proctype server(byte me) {
  byte who, value, i;

end:
  do
  :: work[me] ? who, value ->
       i = value;
       do
       :: i > 0 -> value++; i--
       :: else -> break
       od;
       value++;
       answer[who] ! value;
       who = 0; value = 0;
       idle ! me
  od
}

active proctype broker() {
  byte who, value, s;
  bool busy[SERVERS];

end:
  do
  :: ask ? who, value ->
       do
       :: s < SERVERS && busy[s] -> s++
       :: s < SERVERS && !busy[s] -> break
       :: s == SERVERS -> idle ? s; break
       od;
#ifndef HASTY
       busy[s] = true;
#endif
       work[s] ! who, value;
       who = 0; value = 0; s = 0
  :: idle ? s -> busy[s] = false; s = 0
  od
}

init {
  byte i;

  atomic {
    for (i : 0 .. CLIENTS - 1) { run client(i) }
    for (i : 0 .. SERVERS - 1) { run server(i) }
  }
}
