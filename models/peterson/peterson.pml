/*
 * Peterson's mutual exclusion for N processes (Peterson 1981), blocking form.
 *
 * Shows: a protocol whose states are almost all interleavings; the standard measure for state-space tools. A process
 * climbs N-1 levels. On level k it announces itself (flag[_pid] = k), makes itself the last to arrive (turn[k] =
 * _pid) and waits until every other process is on a lower level or somebody else arrived later. Each wait is one
 * guard, and a process whose guard is false is blocked: nothing spins. As in the usual text the lowest level is 0,
 * which is also the mark of a process that does not compete: on level 0 nobody counts as lower, so the last one to
 * arrive there waits until another comes. Processes compete again and again, so there is always another.
 *
 * Options: -DN=...  number of processes (2 to 255)
 * Property: at most one process in the critical section (assertion on ncrit). It holds for every N.
 *
 * expect: holds states=294 transitions=540 with -DN=2
 * expect: holds states=45915 transitions=128653 with -DN=3
 */
#ifndef N
#define N 2
#endif

byte flag[N];  /* the level that a process has reached */
byte turn[N];  /* the last process that arrived on a level */
byte ncrit;    /* processes in the critical section */

active [N] proctype user() {
  byte j, k;

again:
  k = 0;
  do
  :: k < N - 1 ->
       flag[_pid] = k;
       turn[k] = _pid;
       j = 0;
       do
       :: j == _pid -> j++
       :: j != _pid ->
            if
            :: j < N -> (flag[j] < k || turn[k] != _pid); j++
            :: j >= N -> break
            fi
       od;
       k++
  :: else -> break
  od;

  ncrit++;
  assert(ncrit == 1);
  ncrit--;

  flag[_pid] = 0;
  goto again
}
