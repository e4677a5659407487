/*
 * Workers with long local loops who meet at one lock: each step is local but for two in a round.
 *
 * Options: -DN=...         workers
 *          -DLOOP=...      local steps between two visits
 *          -DROUNDS=...
 *          -DUNLOCKED      without the lock
 * Property: no addition to the shared sum is lost (assertion). Violated for UNLOCKED.
 *
 * expect: holds with -DN=2
 * expect: violated(assertion) with -DN=2 -DUNLOCKED
 * expect: holds slow
 */
#ifndef N
#define N 3
#endif
#ifndef LOOP
#define LOOP 8
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

bit lock;
byte sum, done;

active [N] proctype worker() {
  byte round, i, mine, seen;

  for (round : 1 .. ROUNDS) {
    for (i : 1 .. LOOP) {
      if
      :: mine = mine + 1
      :: i % 2 == 0 -> skip
      fi;
      mine = mine % 2
    }
    mine = 0;
#ifndef UNLOCKED
    atomic { lock == 0 -> lock = 1 };
#endif
    seen = sum;
    sum = seen + 1;
    seen = 0;
#ifndef UNLOCKED
    lock = 0
#endif
  }
  done++
}

active proctype check() {
  done == N;
  assert(sum == N * ROUNDS)
}
