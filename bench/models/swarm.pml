/*
 * A swarm: in each round TASKS processes are started at once; each hands in its number and ends; when all have gone the
 * next round begins.
 *
 * Bad for a checker that remembers steps by whole frames: the collector's locals, with whom every step shakes hands, are
 * different in almost every state, so it has to divide them. With SHARED they are single global bits.
 *
 * Options: -DTASKS=...   processes in a round
 *          -DROUNDS=...
 *          -DSHARED      the list of those who have handed in is global
 * Property: nobody hands in twice (assertion), and everybody ends (no deadlock).
 *
 * expect: holds states=268 transitions=783 with -DTASKS=6
 * expect: holds states=268 transitions=783 with -DTASKS=6 -DSHARED
 * expect: holds states=2097160 transitions=20971529 with -DTASKS=20 -DROUNDS=1 slow
 * expect: holds states=2097160 transitions=20971529 with -DTASKS=20 -DROUNDS=1 -DSHARED slow
 */
#ifndef TASKS
#define TASKS 6
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

chan results = [0] of { byte };
#ifdef SHARED
bit seen[TASKS];
#endif

proctype task(byte number) {
  results ! number
}

init {
#ifndef SHARED
  bit seen[TASKS];
#endif
  byte round, number, finished;

  for (round : 1 .. ROUNDS) {
    atomic {
      for (number : 0 .. TASKS - 1) { run task(number) }
      number = 0
    }
    do
    :: atomic {
         results ? number;
         assert(!seen[number]);
         seen[number] = 1;
         number = 0;
         finished++
       }
    :: atomic { finished == TASKS && _nr_pr == 1 -> break }
    od;
    assert(finished == TASKS);
    d_step {
      for (number : 0 .. TASKS - 1) { seen[number] = 0 }
      number = 0; finished = 0
    }
  }
}
