/*
 * Exceptions: `unless`.
 *
 * Shows: { main } unless { handler }. Before every statement of the main sequence the first statement of the handler
 * is tried; when it can be executed the process leaves the main sequence for good. Here a worker counts in a loop,
 * nested in two handlers: an inner one for a recoverable alarm, after which the work is started again, and an outer
 * one that stops it. When both could act the outer one wins, as in SPIN by default (-J in SPIN turns this round).
 *
 * Options: -DLIMIT=...  how far the worker counts
 * Properties: work never goes on after the stop, an alarm is not answered after it, and work begins anew after an alarm
 * (assertions); no deadlock.
 *
 * expect: holds states=280 transitions=440
 * expect: holds states=728 transitions=1126 with -DLIMIT=10
 */
#ifndef LIMIT
#define LIMIT 3
#endif

bool alarm, stop, stopped;
byte work, restarts;

active proctype worker() {
  {
    do
    :: {
         do
         :: work < LIMIT -> assert(!stop); work++
         :: work == LIMIT -> work = 0
         od
       } unless {
         atomic { alarm -> assert(!stop); alarm = false; work = 0 }
       };
       assert(work == 0);
       restarts = (restarts + 1) % 2
    od
  } unless {
    stop -> stopped = true
  };
  assert(stopped && stop && work <= LIMIT)
}

active proctype environment() {
  do
  :: atomic { !alarm && !stop -> alarm = true }
  :: stop = true -> break
  od
}
