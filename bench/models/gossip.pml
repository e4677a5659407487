/*
 * Gossip by rendezvous: friends on a line of telephones tell each other all secrets that they know. Between two calls each
 * thinks about what it has heard, in local steps.
 *
 * Options: -DN=...         friends
 *          -DCALLS=...     that each may begin
 *          -DBELIEF        the one who calls believes that all know everything after its last call
 * Property: nobody knows a secret that does not exist (assertion). Violated for BELIEF.
 *
 * expect: holds with -DCALLS=1
 * expect: holds slow
 * expect: violated(assertion) with -DCALLS=1 -DBELIEF
 */
#ifndef N
#define N 3
#endif
#ifndef CALLS
#define CALLS 2
#endif

chan line[N] = [0] of { byte, byte };
chan back[N] = [0] of { byte };

proctype friend(byte me) {
  byte knows, heard, who, calls, i, count;

  knows = 1 << me;
end:
  do
  :: calls < CALLS ->
       calls++;
       who = (me + 1) % N;
       if
       :: line[who] ! me, knows -> back[me] ? heard
       :: line[me] ? who, heard -> back[who] ! knows
       fi;
       knows = knows | heard;
       heard = 0;
       assert(knows < (1 << N));
       i = 0; count = 0;
       do
       :: i < N -> if :: knows & (1 << i) -> count++ :: else fi; i++
       :: else -> break
       od;
#ifdef BELIEF
       assert(count == N || calls < CALLS);
#endif
       i = 0; count = 0; who = 0
  :: line[me] ? who, heard ->
       back[who] ! knows;
       knows = knows | heard;
       heard = 0; who = 0
  od
}

init {
  byte i;

  atomic { for (i : 0 .. N - 1) { run friend(i) } }
}
