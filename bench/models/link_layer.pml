/*
 * A link layer between transactions and a bus (in the manner of IEEE 1394; Luttik 1997): a node's link takes a request
 * over from its transaction layer, asks the bus for its turn, sends the packet, which all other links get, and waits for
 * the acknowledgement of the one it is for. The bus may damage a packet or lose an acknowledgement.
 *
 * A hand-over is one atomic step: what a process receives it sends on in the same `atomic`, by rendezvous throughout.
 *
 * Options: -DNODES=...
 *          -DVALUES=...  values of data
 * Property: what arrives is what was sent, once; a transaction that was acknowledged has arrived (assertions); no
 * deadlock.
 *
 * expect: holds states=4749 transitions=14775
 * expect: holds states=67409 transitions=266857 with -DNODES=3 -DVALUES=1
 * expect: holds states=712435 transitions=3594787 with -DNODES=3 slow
 */
#ifndef NODES
#define NODES 2
#endif
#ifndef VALUES
#define VALUES 2
#endif

mtype = { GOOD, DAMAGED, ACK, NO_ACK };

chan request[NODES] = [0] of { byte, byte };               /* transaction layer to link: destination, data */
chan confirm[NODES] = [0] of { mtype };                    /* link to transaction layer: ACK or NO_ACK */
chan indication[NODES] = [0] of { byte, byte };            /* the same: source, data */
chan arbitration = [0] of { byte };                        /* link to bus: who wants to send */
chan packet = [0] of { byte, byte };                       /* link to bus: destination, data */
chan delivery[NODES] = [0] of { mtype, byte, byte, byte }; /* bus to link: GOOD or DAMAGED, source, destination, data */
chan reply = [0] of { mtype };                             /* link to bus: ACK or NO_ACK */
chan answer[NODES] = [0] of { mtype };                     /* bus to link: the same */

byte sent[NODES];    /* by node: data of its transaction under way, plus 1 */
bit arrived[NODES];  /* ... has arrived */

inline get_indication() {
  indication[me] ? from, data ->
    assert(sent[from] == data + 1 && !arrived[from]);
    arrived[from] = 1; from = 0; data = 0
}

proctype transactions(byte me) {
  byte to, value, from, data;

  do
  :: atomic {  /* the next transaction */
       select(value : 0 .. VALUES - 1);
       select(to : 0 .. NODES - 2);
       to = (to < me -> to : to + 1)
     }
     do
     :: atomic { get_indication() }
     :: request[me] ! to, value -> break
     od;
     do
     :: atomic { get_indication() }
     :: confirm[me] ? _ -> break
     od
  od
}

inline get_packet() {
  delivery[me] ? kind, source, destination, got ->
    if
    :: destination == me && kind == GOOD -> indication[me] ! source, got; reply ! ACK
    :: destination == me && kind == DAMAGED -> reply ! NO_ACK
    :: else
    fi;
    kind = 0; source = 0; destination = 0; got = 0
}

proctype link(byte me) {
  byte to, data, source, destination, got;
  mtype kind;

idle:
  do
  :: atomic { get_packet() }
  :: atomic { request[me] ? to, data -> sent[me] = data + 1; break }
  od;
  do
  :: atomic { get_packet() }
  :: arbitration ! me -> break
  od;
  packet ! to, data;
  atomic {
    answer[me] ? kind ->
      assert(kind == NO_ACK || arrived[me]);
      to = 0; data = 0; sent[me] = 0; arrived[me] = 0;
      confirm[me] ! kind;
      kind = 0
  }
  goto idle
}

active proctype bus() {
  byte source, to, data, i;
  mtype result;

  do
  :: atomic { arbitration ? source -> packet ? to, data }
     for (i : 0 .. NODES - 1) {
       if
       :: i == to ->
            if
            :: delivery[i] ! GOOD, source, to, data
            :: delivery[i] ! DAMAGED, source, to, 0
            fi;
            reply ? result
       :: i != to && i != source -> delivery[i] ! GOOD, source, to, data
       :: i == source
       fi
     }
     if
     :: answer[source] ! result
     :: answer[source] ! NO_ACK
     fi;
     source = 0; to = 0; data = 0; result = 0; i = 0
  od
}

init {
  byte i;

  atomic {
    for (i : 0 .. NODES - 1) {
      run link(i);
      run transactions(i)
    }
    i = 0
  }
}
