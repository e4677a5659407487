/*
 * A sliding window with go-back-N: up to W messages are under way at once, over channels that lose messages.
 *
 * Shows: that W messages need W + 1 sequence numbers. The sender keeps the messages base .. base + open - 1 and
 * repeats all of them after a timeout; the receiver accepts the one it waits for only, and acknowledges the last
 * accepted one. Messages are also numbered modulo 2 * S, unseen by the protocol, so that an assertion can tell a lost
 * or doubled one.
 *
 * Options: -DW=...  width of the window
 *          -DS=...  sequence numbers; with S == W a repetition is taken for a new message
 * Property: every message is accepted once and in order (assertion). It holds iff S > W.
 *
 * expect: holds states=288 transitions=480 with -DW=1
 * expect: holds states=5436 transitions=12420
 * expect: violated(assertion) states=2624 transitions=5488 errors=128 with -DW=2 -DS=2
 * expect: holds states=34816 transitions=95632 with -DW=3
 */
#ifndef W
#define W 2
#endif
#ifndef S
#define S (W + 1)
#endif
#define NUMBERS (2 * S)

chan forth = [W] of { byte, byte };  /* sequence number, message */
chan back = [W] of { byte };         /* sequence number acknowledged */

active proctype sender() {
  byte base;  /* the oldest message without acknowledgement, modulo NUMBERS */
  byte open;  /* messages in the window */
  byte next, ack;

  do
  :: open < W && nfull(forth) ->
       forth ! (base + open) % S, (base + open) % NUMBERS;
       open++
  :: back ? ack ->
       next = (ack + 1 + S - base % S) % S;  /* how many messages this acknowledges: all up to ack */
       if
       :: next <= open -> base = (base + next) % NUMBERS; open = open - next
       :: else  /* an old one */
       fi;
       next = 0; ack = 0
  :: timeout ->
       for (next : 0 .. open - 1) {
         forth ! (base + next) % S, (base + next) % NUMBERS
       }
       next = 0
  od
}

active proctype receiver() {
  byte expected;  /* modulo NUMBERS */
  byte sequence, message;

  do
  :: forth ? sequence, message;
     if
     :: sequence == expected % S ->
          assert(message == expected);
          expected = (expected + 1) % NUMBERS
     :: else
     fi;
     sequence = 0; message = 0;
     back ! (expected + S - 1) % S
  od
}

active proctype thief() {
  do
  :: forth ? _, _
  :: back ? _
  od
}
