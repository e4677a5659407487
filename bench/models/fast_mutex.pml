/*
 * Lamport's fast mutual exclusion (1987): two reads and five writes if nobody else comes; else a loop over all. Before
 * and after the section each process has local work.
 *
 * Options: -DN=...         processes
 *          -DWORK=...      local steps before and after
 *          -DNOWAIT        without the loop over all others
 * Property: at most one process is inside (assertion); no deadlock. Violated for NOWAIT.
 *
 * expect: holds with -DN=2
 * expect: violated(assertion) with -DN=2 -DNOWAIT
 * expect: holds slow
 */
#ifndef N
#define N 3
#endif
#ifndef WORK
#define WORK 4
#endif

byte x, y;
bool busy[N];
byte inside;

active [N] proctype process() {
  byte j, work, sum;

start:
  for (work : 1 .. WORK) { sum = (sum + work) % 7 }
  work = 0; sum = 0;
again:
  busy[_pid] = true;
  x = _pid + 1;
  if
  :: y != 0 -> busy[_pid] = false; y == 0; goto again
  :: else
  fi;
  y = _pid + 1;
  if
  :: x != _pid + 1 ->
       busy[_pid] = false;
#ifndef NOWAIT
       for (j : 0 .. N - 1) { !busy[j] }
#endif
       j = 0;
       if
       :: y != _pid + 1 -> y == 0; goto again
       :: else
       fi
  :: else
  fi;
  inside++;
  assert(inside == 1);
  inside--;
  y = 0;
  busy[_pid] = false;
  for (work : 1 .. WORK) { sum = (sum + work) % 5 }
  work = 0; sum = 0;
  goto start
}
