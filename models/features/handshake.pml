/*
 * Rendezvous: a four-phase handshake, and a token that goes round a ring of processes.
 *
 * Shows: channels of capacity 0. Sender and receiver take one step together; neither can go on alone. A sender may
 * choose among several partners, and a receiver may insist on a value (eval) or a constant.
 *
 * Options: -DN=...  processes in the ring
 *          -DLATE   the processes receive before they send, all of them: nobody starts (deadlock)
 * Properties: one token (assertion), no deadlock.
 *
 * expect: holds states=57 transitions=69
 * expect: holds states=179 transitions=347 with -DN=5
 * expect: violated(end-state) states=1 transitions=0 errors=1 with -DLATE
 */
#ifndef N
#define N 3
#endif

mtype = { REQUEST, GRANT, RELEASE };

chan ring[N] = [0] of { byte };        /* the number of the round, by hand */
chan bus = [0] of { mtype, pid };      /* to the arbiter and back */
byte holders;

active [N] proctype station() {
  byte round, me = _pid;

#ifndef LATE
  if
  :: me == 0 -> ring[1] ! 1
  :: else
  fi;
#endif
  do
  :: ring[me] ? round;
     bus ! REQUEST(me);
     bus ? GRANT(eval(me));
     holders++;
     assert(holders == 1);
     holders--;
     bus ! RELEASE(me);
     ring[(me + 1) % N] ! (me == 0 -> 1 - round : round)
  od
}

active proctype arbiter() {
  pid client;
#ifndef LATE
end:
#endif
  do
  :: bus ? REQUEST(client);
     bus ! GRANT(client);
     bus ? RELEASE(eval(client))
  od
}
