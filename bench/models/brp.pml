/*
 * The bounded retransmission protocol (Helmink, Sellink, Vaandrager 1994): a file of CHUNKS pieces of data over a line
 * that loses messages, with alternating bits and at most RETRIES repetitions of a piece. The sender's client hears
 * whether the file has arrived, the receiver's client gets pieces or hears that no more will come.
 *
 * All processes talk by rendezvous. The line tells the sender's timer of a loss, so the timer is never too early.
 *
 * Options: -DCHUNKS=...   pieces in a file
 *          -DRETRIES=...
 *          -DDATA=...     a piece is 0 .. DATA
 * Property: the receiver's client gets the file's pieces in order, and what the sender's client hears is true
 * (assertions); no deadlock.
 *
 * expect: holds states=2979 transitions=5826
 * expect: holds states=25968 transitions=52080 with -DCHUNKS=3 -DRETRIES=1 -DDATA=2
 * expect: holds states=3475495 transitions=4920315 with -DCHUNKS=6 -DRETRIES=4 -DDATA=4 slow
 */
#ifndef CHUNKS
#define CHUNKS 2
#endif
#ifndef RETRIES
#define RETRIES 2
#endif
#ifndef DATA
#define DATA 1
#endif

mtype = { FIRST, MIDDLE, LAST, OK, NOT_OK, DONT_KNOW };

chan send = [0] of { bit, bit, bit, byte };    /* first, last, alternating bit, data */
chan arrive = [0] of { bit, bit, bit, byte };
chan acknowledge = [0] of { bit };
chan acknowledged = [0] of { bit };
chan lost = [0] of { bit };
chan piece = [0] of { byte };                  /* from the sender's client */
chan indication = [0] of { mtype, byte };      /* to the receiver's client */
chan confirmation = [0] of { mtype };          /* to the sender's client */
chan given_up = [0] of { bit };                /* the receiver's timer, which waits longer than all repetitions */

active proctype sender() {
  byte number, data, tries;
  bit alternating;
  mtype result;

  do
  :: piece ? data ->
       tries = 0;
       do
       :: send ! number == 0, number == CHUNKS - 1, alternating, data;
          if
          :: acknowledged ? _ -> number++; result = OK; break
          :: lost ? _ ->
               if
               :: tries < RETRIES -> tries++
               :: else -> result = (number == CHUNKS - 1 -> DONT_KNOW : NOT_OK); break
               fi
          fi
       od;
       alternating = 1 - alternating;
       if
       :: result != OK -> given_up ! 0; alternating = 0; number = 0; confirmation ! result
       :: result == OK && number == CHUNKS -> number = 0; confirmation ! OK
       :: else -> confirmation ! MIDDLE
       fi;
       result = 0; data = 0; tries = 0
  od
}

active proctype data_line() {
  bit first, last, alternating;
  byte data;

  do
  :: send ? first, last, alternating, data ->
       if
       :: arrive ! first, last, alternating, data
       :: lost ! 0
       fi
  od
}

active proctype acknowledgement_line() {
  do
  :: acknowledge ? _ ->
       if
       :: acknowledged ! 0
       :: lost ! 0
       fi
  od
}

active proctype receiver() {
  bit first, last, alternating, awaited, inside;
  byte data;

  do
  :: arrive ? first, last, alternating, data ->
       if
       :: alternating == awaited ->
            indication ! (last -> LAST : (first -> FIRST : MIDDLE)), data;
            awaited = 1 - awaited;
            inside = !last
       :: else  /* a repetition */
       fi;
       acknowledge ! 0
  :: given_up ? _ ->
       if
       :: inside -> indication ! NOT_OK, 0; inside = 0
       :: else
       fi;
       awaited = 0
  od
}

byte file[CHUNKS];  /* as the clients know it */
byte delivered;

inline clear() {
  for (i : 0 .. CHUNKS - 1) { file[i] = 0 }
  i = 0; delivered = 0; data = 0
}

active proctype sending_client() {
  byte i, data;

  do
  :: select(data : 0 .. DATA);
     file[i] = data;
     piece ! data;
     if
     :: confirmation ? MIDDLE -> i++; assert(delivered == i)
     :: atomic { confirmation ? OK -> assert(delivered == CHUNKS); clear() }
     :: atomic { confirmation ? NOT_OK -> assert(delivered < CHUNKS); clear() }
     :: atomic { confirmation ? DONT_KNOW -> assert(delivered >= CHUNKS - 1); clear() }
     fi
  od
}

active proctype receiving_client() {
  byte data;
  mtype kind;

  do
  :: atomic {
       indication ? kind, data ->
         if
         :: kind != NOT_OK ->
              assert(data == file[delivered] && (kind == FIRST) == (delivered == 0));
              delivered++;
              assert((kind == LAST) == (delivered == CHUNKS))
         :: else
         fi;
         kind = 0; data = 0
     }
  od
}
