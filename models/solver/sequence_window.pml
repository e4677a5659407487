/*
 * Sequence numbers that wrap: a receiver accepts what is at most WINDOW ahead of the last number that it accepted
 * (as TCP does, and the anti-replay window of IPsec).
 *
 * Shows: serial number arithmetic (RFC 1982). The next number is any one that the guard accepts, of 2^32 with LARGE.
 * Near the largest number a plain comparison accepts nothing any more, and the receiver is stuck.
 *
 * Options: -DPLAIN  compare numbers as they are
 *          -DLARGE  numbers of 32 bits instead of 4
 * Properties: what is accepted is newer, in a circle; the window has moved with it (assertions); the receiver is never
 * stuck: violated with PLAIN.
 *
 * expect: holds states=188 transitions=211
 * expect: violated(end-state) states=56 transitions=57 errors=7 with -DPLAIN
 * expect: holds states=188 transitions=211 solver with -DLARGE
 * expect: violated(end-state) states=56 transitions=57 errors=7 solver with -DPLAIN -DLARGE
 */
#define PROMELA_S 1
#ifndef LARGE
#define BITS 4
#define LEAST (-8)
#define MOST 7
#else
#define BITS 32
#define LEAST (-2147483647 - 1)
#define MOST 2147483647
#endif
#define WINDOW 3
#define ROUNDS 4

/* the low BITS bits of a number, with sign */
#define SERIAL(x) (((x) << (32 - BITS)) >> (32 - BITS))
#ifdef PLAIN
#define ACCEPTED(s) (s > last && s <= SERIAL(last + WINDOW))
#else
#define ACCEPTED(s) (SERIAL(s - last) > 0 && SERIAL(s - last) <= WINDOW)
#endif

int last = MOST - 5;
byte way;  /* how far the numbers have come, without a circle */

active proctype receiver() {
  int next;
  byte round;
  do
  :: round < ROUNDS ->
     choose (next : LEAST .. MOST) where (ACCEPTED(next));
     assert(SERIAL(next - last) > 0);
     d_step { way = way + SERIAL(next - last); last = next; next = 0; round++ };
     assert(round <= way && way <= round * WINDOW && last == SERIAL(MOST - 5 + way))
  :: else -> assert(round == ROUNDS); break
  od
}
