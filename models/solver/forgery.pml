/*
 * A payment with a checksum: the bank accepts an amount and a nonce whose checksum is right. The intruder changes the amount
 * and looks for a nonce with which the checksum stays the same.
 *
 * Shows: "is there a nonce whose checksum is this?" as a guard; where there is none, the intruder has one thing less that he
 * can do.
 *
 * Options: -DODD    the bank takes odd nonces only: then the checksum tells whether the amount is odd
 *          -DLARGE  nonces and checksums of 31 bits instead of 6
 * Properties: the bank pays what was sent (assertion): violated, but for ODD.
 *
 * expect: violated(assertion) states=16 transitions=16 errors=1
 * expect: holds states=10 transitions=9 with -DODD
 * expect: violated(assertion) states=16 transitions=16 errors=1 solver with -DLARGE
 * expect: holds states=10 transitions=9 solver with -DODD -DLARGE
 */
#define PROMELA_S 1
#ifdef LARGE
#define MOST 2147483647
#define FACTOR 1640531527
#else
#define MOST 63
#define FACTOR 27
#endif
#define SUM(amount, nonce) (((amount) * FACTOR + (nonce) * 7) & MOST)
#ifdef ODD
#define TAKES(nonce) ((nonce) % 2 == 1)
#else
#define TAKES(nonce) true
#endif

chan net = [1] of { byte, int, int };
chan bank = [1] of { byte, int, int };

active proctype customer() {
  net ! 4, 9, SUM(4, 9)
}

active proctype intruder() {
  byte amount;
  int nonce;
  int sum;
end:
  net ? amount, nonce, sum;
  if
  :: bank ! amount, nonce, sum
  :: least (nonce : 0 .. MOST) where (TAKES(nonce) && SUM(5, nonce) == sum) -> bank ! 5, nonce, sum
  fi
}

active proctype teller() {
  byte amount;
  int nonce;
  int sum;
end:
  bank ? amount, nonce, sum;
  if
  :: SUM(amount, nonce) == sum && TAKES(nonce) -> assert(amount == 4)
  :: else
  fi
}
