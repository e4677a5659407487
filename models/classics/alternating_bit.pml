/*
 * The alternating bit protocol (Bartlett, Scantlebury, Wilkinson 1969) over channels that lose messages.
 *
 * Shows: loss as a process that steals messages, and a timer. The sender repeats a message until the acknowledgement
 * carries its bit; the receiver acknowledges everything and accepts a message whose bit is the one it waits for.
 *
 * Options: -DM=...     numbers (modulo M) by which the assertion tells messages apart
 *          -DDEAF      the receiver does not look at the bit: repetitions are taken for new messages
 * Property: what the receiver accepts is in order, none doubled or left out (assertion). It holds, but for DEAF. That
 * messages go on arriving is not asked here, but of models/properties/alternating_bit.pml.
 *
 * expect: holds states=116 transitions=137
 * expect: holds states=150 transitions=177 with -DM=8
 * expect: violated(assertion) states=631 transitions=751 errors=28 with -DDEAF
 */
#ifndef M
#define M 3
#endif

mtype = { MESSAGE, ACK };

chan forth = [1] of { mtype, byte, bit };
chan back = [1] of { mtype, bit };

active proctype sender() {
  byte number;
  bit mine, theirs;

  forth ! MESSAGE, number, mine;
  do
  :: back ? ACK, theirs ->
       if
       :: theirs == mine ->
            number = (number + 1) % M;
            mine = 1 - mine;
            forth ! MESSAGE, number, mine
       :: else  /* the answer to a repetition */
       fi
  :: timeout -> forth ! MESSAGE, number, mine
  od
}

active proctype receiver() {
  byte number, next;
  bit theirs, awaited;

  do
  :: forth ? MESSAGE, number, theirs;
#ifdef DEAF
     if
     :: true ->
#else
     if
     :: theirs == awaited ->
#endif
          assert(number == next);
          next = (next + 1) % M;
          awaited = 1 - awaited
     :: else
     fi;
     back ! ACK, theirs
  od
}

active proctype thief() {
  do
  :: forth ? MESSAGE, _, _
  :: back ? ACK, _
  od
}
