/*
 * Dining philosophers (Dijkstra 1965): N philosophers, N forks, two forks needed to eat.
 *
 * Shows: the deadlock of circular waiting, and its usual cure, an order of the resources. If everyone takes the left
 * fork first, all may hold one and wait for ever. If one of them takes the right one first, the circle is broken.
 *
 * Options: -DN=...  philosophers
 *          -DCURED  philosopher 0 takes the right fork first
 * Properties: a fork is held by one at most (assertion); no deadlock: violated, but for CURED.
 *
 * expect: violated(end-state) states=99 transitions=216 errors=1
 * expect: violated(end-state) states=2163 transitions=7890 errors=1 with -DN=5
 * expect: holds states=64 transitions=120 with -DCURED
 * expect: holds states=1372 transitions=4565 with -DCURED -DN=5
 */
#ifndef N
#define N 3
#endif
#ifdef CURED
#define LEFT_HANDED (_pid == 0)
#else
#define LEFT_HANDED false
#endif

byte held[N];  /* fork i lies between philosophers i and i + 1 */

inline take(fork) {
  atomic { held[fork] == 0 -> held[fork]++ };
  assert(held[fork] == 1)
}

active [N] proctype philosopher() {
  byte first = (LEFT_HANDED -> (_pid + 1) % N : _pid);
  byte second = (LEFT_HANDED -> _pid : (_pid + 1) % N);

  do
  :: take(first);
     take(second);
     printf("philosopher %d eats\n", _pid);
     held[second]--;
     held[first]--
  od
}
