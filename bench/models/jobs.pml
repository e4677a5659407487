/*
 * A scheduler of independent jobs: it reads an order and starts the jobs one by one; each has a number of local phases
 * in a memory of its own, and reports when it is done. Jobs run side by side, at most SLOTS at a time.
 *
 * Options: -DJOBS=...
 *          -DSLOTS=...     jobs that run at the same time
 *          -DPHASES=...    of each job
 *          -DUNCOUNTED     the scheduler forgets to take a slot back
 * Property: never more than SLOTS jobs run, and all end (assertion, no deadlock). Violated for UNCOUNTED.
 *
 * expect: holds with -DJOBS=3 -DPHASES=2
 * expect: violated(end-state) with -DJOBS=4 -DPHASES=2 -DUNCOUNTED
 * expect: holds slow
 */
#ifndef JOBS
#define JOBS 3
#endif
#ifndef SLOTS
#define SLOTS 3
#endif
#ifndef PHASES
#define PHASES 6
#endif

chan finished = [SLOTS] of { byte };
byte running;

proctype job(byte me) {
  byte phase, size = me, result;

  do
  :: phase < PHASES ->
       if
       :: size % 2 == 0 -> result = result + phase
       :: else -> size = size + me
       fi;
       size = (size + phase) % 5;
       phase++
  :: else -> break
  od;
  finished ! me
}

active proctype scheduler() {
  byte next, done, slots = SLOTS, who;
  bool urgent[JOBS];

  for (next : 0 .. JOBS - 1) {
    if
    :: urgent[next] = true
    :: skip
    fi
  }
  next = 0;
  do
  :: next < JOBS && slots > 0 ->
       slots--;
       running++;
       assert(running <= SLOTS);
       run job((urgent[next] -> next : JOBS + next));
       next++
  :: finished ? who ->
       running--;
       done++;
#ifndef UNCOUNTED
       slots++
#endif
  :: done == JOBS -> break
  od
}
