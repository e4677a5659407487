/*
 * Lamport's bakery (1974): mutual exclusion by tickets, for N processes.
 *
 * Shows: why `choosing` is needed. A process draws a ticket one larger than all it sees; drawing is not atomic, so
 * two processes may draw the same one, and then the smaller pid goes first. Without `choosing` a process that has
 * computed its ticket but not shown it yet is overlooked.
 *
 * Tickets grow without bound while the shop is never empty. To keep the state space finite every process enters
 * ROUNDS times only.
 *
 * Options: -DN=...       processes
 *          -DROUNDS=...  times that each one enters
 *          -DHASTY       without `choosing`: two processes meet in the critical section
 * Properties: mutual exclusion (assertion), no deadlock.
 *
 * expect: holds states=8145 transitions=15349
 * expect: holds states=118992 transitions=226933 with -DROUNDS=5
 * expect: holds states=108054 transitions=294959 with -DN=3 -DROUNDS=1
 * expect: violated(assertion) states=8906 transitions=17155 errors=40 with -DHASTY
 */
#ifndef N
#define N 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

bool choosing[N];
byte ticket[N];  /* 0: none */
byte inside;

active [N] proctype customer() {
  byte round, largest, j;

  for (round : 1 .. ROUNDS) {
#ifndef HASTY
    choosing[_pid] = true;
#endif
    largest = 0;
    for (j : 0 .. N - 1) {
      if
      :: ticket[j] > largest -> largest = ticket[j]
      :: else
      fi
    }
    ticket[_pid] = largest + 1;
#ifndef HASTY
    choosing[_pid] = false;
#endif

    for (j : 0 .. N - 1) {
      !choosing[j];
      (ticket[j] == 0 || ticket[j] > ticket[_pid] || (ticket[j] == ticket[_pid] && j >= _pid))
    }

    inside++;
    assert(inside == 1);
    inside--;
    ticket[_pid] = 0
  }
}
