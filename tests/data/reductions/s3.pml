/* Workers at a barrier; who waits for ever sees by the timeout that somebody is missing. */
#ifndef WORKERS
#define WORKERS 5
#endif

byte here, round;

active [WORKERS] proctype worker() {
  byte mine;
  do
  :: atomic {
       here++;
       if
       :: here == WORKERS -> here = 0; round = 1 - round
       :: else
       fi
     }
     mine = 1 - mine;
     if
     :: round == mine
     :: timeout -> assert(here < WORKERS)
     fi
  od
}
