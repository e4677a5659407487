/*
 * Leader election in a unidirectional ring (Dolev, Klawe, Rodeh 1982), N processes, O(N log N) messages.
 *
 * Shows: buffered channels; many states that differ only in the order of independent steps.
 *
 * Every process starts active, with a number of its own, and sends it on (FIRST). An active process that receives its
 * left neighbour's number sends it on once more (SECOND), so that it learns the numbers of its two active neighbours
 * to the left. If the nearer one's is the largest of the three, the process takes that number over and stays active;
 * otherwise it becomes a relay that only passes messages on. Each round removes at least half of the active
 * processes. One that receives the number it has itself is alone: it has won, and tells the others (WINNER).
 *
 * Options: -DN=...  processes
 *          -DI=...  the position, from 1, of the process with the smallest number; numbers descend along the ring
 *          -DL=...  capacity of the channels (2 * N suffice)
 *          -DSTAY   a process that has finished stays, instead of ending as a further step
 * Properties: who wins stands for the largest number, so there is one winner only, and that number is what everybody
 * is told (assertions); all processes stop (no invalid end state).
 *
 * The CMC runs of 2006 had -DN=10 -DL=20 -DI=3 and path reduction: 1.95 million states. An enumerator written by hand, in which
 * processes that have finished stay, finds 1,951,707 states and 12,610,605 transitions; so does --steps path with -DSTAY.
 * Without it there are 55 states more: the 10 processes end one after the other.
 *
 * expect: holds states=335 transitions=723 with -DN=3
 * expect: holds states=1894 transitions=5494
 * expect: holds states=1896 transitions=5498 with -DI=1
 * expect: holds states=11598 transitions=42165 with -DN=5
 * expect: holds states=72922 transitions=318016 with -DN=6
 * expect: holds states=1951707 transitions=12610605 steps=path with -DN=10 -DL=20 -DI=3 -DSTAY
 * expect: holds states=1951762 transitions=12610705 steps=path with -DN=10 -DL=20 -DI=3
 */
#ifndef N
#define N 4
#endif
#ifndef I
#define I 3
#endif
#ifndef L
#define L (2 * N)
#endif

mtype = { FIRST, SECOND, WINNER };

chan link[N] = [L] of { mtype, byte };  /* link[p] leads to process p */

active [N] proctype node() {
  byte largest;  /* the number that this process stands for: its own at first */
  byte left;     /* that of the active neighbour to the left */
  byte received;
  bool active_here = true, informed;

  largest = (N + I - (_pid + 1)) % N + 1;
  link[(_pid + 1) % N] ! FIRST, largest;
  do
  :: link[_pid] ? FIRST, received ->
       if
       :: active_here && received != largest ->
            left = received;
            link[(_pid + 1) % N] ! SECOND, left
       :: active_here && received == largest ->  /* it has gone all the way round */
            assert(largest == N);
            informed = true;
            link[(_pid + 1) % N] ! WINNER, largest
       :: else -> link[(_pid + 1) % N] ! FIRST, received
       fi

  :: link[_pid] ? SECOND, received ->
       if
       :: active_here && left > received && left > largest ->
            largest = left;
            link[(_pid + 1) % N] ! FIRST, largest
       :: active_here && !(left > received && left > largest) -> active_here = false
       :: else -> link[(_pid + 1) % N] ! SECOND, received
       fi

  :: link[_pid] ? WINNER, received ->
       assert(received == N);
       if
       :: informed
       :: else -> link[(_pid + 1) % N] ! WINNER, received
       fi;
       break
  od
#ifdef STAY
  ;
end:
  false
#endif
}
