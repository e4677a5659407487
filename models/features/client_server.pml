/*
 * Clients and servers: channels as values.
 *
 * Shows: channels sent in messages, typedef with a channel and an array in it, `unsigned`. A
 * client sends its own reply channel with the request; a front desk passes both to a free server; the server answers
 * directly.
 *
 * Options: -DCLIENTS=..., -DSERVERS=...
 *          -DMIXED  the front desk remembers one reply channel only for all: answers go astray
 * Properties: a client gets the answer to its own question (assertion), no deadlock. Violated for MIXED.
 *
 * expect: holds states=28478 transitions=93145
 * expect: holds states=843962 transitions=3472420 with -DCLIENTS=3 slow
 * expect: violated(assertion) states=45598 transitions=142049 errors=1672 with -DMIXED
 */
#ifndef CLIENTS
#define CLIENTS 2
#endif
#ifndef SERVERS
#define SERVERS 2
#endif

typedef Desk {
  chan requests = [1] of { byte, chan };
  unsigned busy : 2;  /* servers at work */
  byte served[CLIENTS];
}

Desk desk;
chan jobs = [0] of { byte, chan };
chan answers[CLIENTS] = [1] of { byte };
chan latest;

active [CLIENTS] proctype client() {
  byte question = _pid + 1, answer;
end:
  do
  :: desk.requests ! question, answers[_pid];
     answers[_pid] ? answer;
     assert(answer == 2 * question);
     answer = 0;
     desk.served[_pid] = 1 - desk.served[_pid]
  od
}

active proctype front_desk() {
  byte question;
  chan reply;
end:
  do
  :: desk.busy < SERVERS ->
     desk.requests ? question, reply;
     latest = reply;
     jobs ! question, reply
  od
}

active [SERVERS] proctype server() {
  byte question;
  chan reply;
end:
  do
  :: jobs ? question, reply;
     desk.busy++;
#ifdef MIXED
     latest ! 2 * question;
#else
     reply ! 2 * question;
#endif
     desk.busy--;
     question = 0
  od
}
