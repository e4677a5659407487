/*
 * Independent jobs behind a long configuration: three operators turn dials, each never far from the others; when all
 * have reached the mark, the jobs run side by side, with nothing in common.
 *
 * Options: -DMARK=...      of the dials: about its cube of states before the first job
 *          -DSLACK=...     how far a dial may be ahead
 *          -DJOBS=...
 *          -DPHASES=...    of each job, which shows how far it is in a global of its own
 *          -DEAGER         a job starts before the dials have stopped
 * Property: jobs run with all dials at the mark (assertion), and all end (no deadlock). Violated for EAGER.
 *
 * expect: holds with -DMARK=3 -DJOBS=2 -DPHASES=3
 * expect: violated(assertion) with -DMARK=3 -DJOBS=2 -DPHASES=3 -DEAGER
 * expect: holds slow
 */
#ifndef MARK
#define MARK 20
#endif
#ifndef SLACK
#define SLACK 15
#endif
#ifndef JOBS
#define JOBS 3
#endif
#ifndef PHASES
#define PHASES 20
#endif

byte dial[3], progress[JOBS];

proctype job(byte me) {
  byte value;

  assert(dial[0] == MARK && dial[1] == MARK && dial[2] == MARK);
  do
  :: progress[me] < PHASES -> value = (value + me) % 3; progress[me] = progress[me] + 1
  :: else -> break
  od
}

active [3] proctype operator() {
  do
  :: dial[_pid] < MARK && dial[_pid] <= dial[(_pid + 1) % 3] + SLACK && dial[_pid] <= dial[(_pid + 2) % 3] + SLACK ->
       dial[_pid] = dial[_pid] + 1
  :: dial[_pid] == MARK -> break
  od
}

active proctype foreman() {
  byte i;

#ifdef EAGER
  dial[0] == MARK;
#else
  dial[0] == MARK && dial[1] == MARK && dial[2] == MARK;
#endif
  atomic {
    for (i : 0 .. JOBS - 1) { run job(i) }
  }
}
