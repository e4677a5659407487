/*
 * A token ring (as IEEE 802.5): a station that holds the token may send one frame, which goes all the way round; the
 * station it is for marks it as copied, its sender takes it off the ring and passes the token on. A station reserves the
 * token in frames that pass by, and leaves a token of higher priority than its own frame to others.
 *
 * The stations talk to the next one by rendezvous only.
 *
 * Options: -DSTATIONS=...
 *          -DPRIORITIES=...
 * Property: a frame is copied by the station it is for and comes back to the one who sent it (assertions); no deadlock.
 *
 * expect: holds states=1620 transitions=2872 with -DSTATIONS=2
 * expect: holds states=61030 transitions=162964 with -DPRIORITIES=1
 * expect: holds states=818078 transitions=2212220 with -DPRIORITIES=3 slow
 */
#ifndef STATIONS
#define STATIONS 3
#endif
#ifndef PRIORITIES
#define PRIORITIES 2
#endif

mtype = { TOKEN, FRAME };

typedef Header {
  byte rank, reserved;  /* priority of the token or frame; that of a frame that waits somewhere, 0: none */
  byte from, to;        /* of frames */
  bit copied
}

chan ring[STATIONS] = [0] of { mtype, Header };  /* to station i */

inline clear() {
  header.rank = 0; header.reserved = 0; header.from = 0; header.to = 0; header.copied = 0
}

proctype station(byte me) {
  Header header;
  byte rank, to;  /* priority and destination of the frame that waits; rank 0: none */

  do
  :: atomic {  /* a new frame */
       rank == 0 ->
         select(rank : 1 .. PRIORITIES);
         select(to : 0 .. STATIONS - 2);
         to = (to < me -> to : to + 1)
     }
  :: ring[me] ? TOKEN, header ->
       if
       :: rank > 0 && rank >= header.rank ->
            header.rank = rank; header.reserved = 0;
            header.from = me; header.to = to; header.copied = 0;
            ring[(me + 1) % STATIONS] ! FRAME, header
       :: else -> ring[(me + 1) % STATIONS] ! TOKEN, header
       fi;
       clear()
  :: ring[me] ? FRAME, header ->
       if
       :: header.from == me ->
            assert(header.copied && header.to == to && header.rank == rank);
            rank = 0; to = 0;
            header.rank = header.reserved;
            header.reserved = 0; header.from = 0; header.to = 0; header.copied = 0;
            ring[(me + 1) % STATIONS] ! TOKEN, header
       :: else ->
            if
            :: header.to == me -> assert(!header.copied); header.copied = 1
            :: else
            fi;
            if
            :: rank > header.reserved -> header.reserved = rank
            :: else
            fi;
            ring[(me + 1) % STATIONS] ! FRAME, header
       fi;
       clear()
  od
}

init {
  byte i;
  Header header;

  atomic {
    for (i : 0 .. STATIONS - 1) { run station(i) }
    i = 0
  }
  ring[0] ! TOKEN, header
}
