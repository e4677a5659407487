/*
 * A combination lock: it opens for a code whose scrambled value is the one that is engraved.
 *
 * Shows: a guard that inverts a function. The thief knows how the lock scrambles, and computes a code instead of trying
 * 2^32 of them. Scrambling by an odd factor can always be inverted; squares are rare, so most engraved values
 * belong to no code at all.
 *
 * Options: -DSQUARE  scramble by squaring
 *          -DLARGE   codes of 32 bits instead of 8
 * Properties: nobody opens the lock (assertion): violated, but for SQUARE.
 *
 * expect: violated(assertion) states=17 transitions=25 errors=4
 * expect: holds states=4 transitions=3 with -DSQUARE
 * expect: violated(assertion) states=17 transitions=25 errors=4 solver with -DLARGE
 * expect: holds states=4 transitions=3 solver with -DSQUARE -DLARGE
 */
#define PROMELA_S 1
#ifndef LARGE
#define LEAST 0
#define MOST 255
#define KEPT(x) ((x) & 255)
#else
#define LEAST (-2147483647 - 1)
#define MOST 2147483647
#define KEPT(x) (x)
#endif

#ifdef SQUARE
#define SCRAMBLED(code) KEPT(code * code)
#define ENGRAVED 2
#else
#define SCRAMBLED(code) KEPT(code * 1103515245 + 12345)
#define ENGRAVED 77
#endif

int code;
bool open;

active proctype thief() {
end:
  least (code : LEAST .. MOST) where (SCRAMBLED(code) == ENGRAVED);
  open = (SCRAMBLED(code) == ENGRAVED);
  assert(!open)
}

active proctype owner() {
  if
  :: exists (c : LEAST .. MOST) (SCRAMBLED(c) == ENGRAVED) -> printf("the lock can be opened\n")
  :: else -> printf("no code opens the lock\n")
  fi
}
