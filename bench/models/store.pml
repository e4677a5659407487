/*
 * A store with versions: clients read a record, compute, and write it back if nobody else has written meanwhile
 * (compare and swap), else they begin anew. One server; requests and answers are records sent by rendezvous.
 *
 * Options: -DCLIENTS=...
 *          -DKEYS=...      records in the store
 *          -DROUNDS=...    additions by a client, each to any of the records
 *          -DCARELESS      the server does not compare versions: additions get lost
 * Property: at the end the store holds the sum of all additions (assertion); no deadlock. Violated for CARELESS.
 *
 * expect: holds states=93912 transitions=199647 with -DCLIENTS=2
 * expect: holds states=38271 transitions=80464 with -DCLIENTS=2 -DKEYS=1 -DROUNDS=3
 * expect: violated(assertion) states=23322 transitions=48967 errors=40 with -DCLIENTS=2 -DKEYS=1 -DCARELESS
 * expect: holds states=3246382 transitions=9413990 with -DKEYS=1 slow
 */
#ifndef CLIENTS
#define CLIENTS 3
#endif
#ifndef KEYS
#define KEYS 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

mtype = { READ, WRITE, QUIT, DONE, CONFLICT };

typedef Request {
  mtype kind;
  byte from, key, version, value
}
typedef Answer {
  mtype result;
  byte version, value
}

chan requests = [0] of { Request };
chan answers[CLIENTS] = [0] of { Answer };

inline clear() {
  request.kind = 0; request.from = 0; request.key = 0; request.version = 0; request.value = 0;
  answer.result = 0; answer.version = 0; answer.value = 0
}

proctype client(byte me) {
  Request request;
  Answer answer;
  byte round, key;

  request.from = me;
  for (round : 1 .. ROUNDS) {
    select(key : 0 .. KEYS - 1);
    request.key = key;
    do
    :: request.kind = READ;
       requests ! request;
       answers[me] ? answer;
       request.kind = WRITE;
       request.version = answer.version;
       request.value = answer.value + me + 1;
       requests ! request;
       answers[me] ? answer;
       request.version = 0; request.value = 0;
       if
       :: answer.result == DONE -> break
       :: answer.result == CONFLICT
       fi
    od
  }
  request.kind = QUIT;
  requests ! request
}

active proctype server() {
  Request request;
  Answer answer;
  byte version[KEYS], value[KEYS], gone, i, sum;

  do
  :: requests ? request ->
       if
       :: request.kind == READ -> answer.result = DONE
       :: request.kind == WRITE ->
            if
#ifndef CARELESS
            :: request.version != version[request.key] -> answer.result = CONFLICT
#endif
            :: else ->
                 value[request.key] = request.value;
                 version[request.key]++;
                 answer.result = DONE
            fi
       :: request.kind == QUIT -> gone++
       fi;
       if
       :: request.kind != QUIT ->
            answer.version = version[request.key];
            answer.value = value[request.key];
            answers[request.from] ! answer
       :: else
       fi;
       d_step { clear() }
  :: gone == CLIENTS -> break
  od;
  for (i : 0 .. KEYS - 1) { sum = sum + value[i] }
  assert(sum == ROUNDS * CLIENTS * (CLIENTS + 1) / 2)
}

init {
  byte i;

  atomic {
    for (i : 0 .. CLIENTS - 1) { run client(i) }
  }
}
