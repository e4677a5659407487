/*
 * Peterson's mutual exclusion for N processes, busy-waiting form.
 *
 * Shows: the same algorithm as peterson.pml, written as a processor would run it. A process that has to wait reads
 * the two variables again and again, one read per step, and every choice has an else: each process has exactly one
 * successor in every state, so a run of N processes has N transitions out of every state, and there is no dead end.
 * The waiting loops are cycles of the state graph, which blocking guards do not have. All variables are int, as wide
 * as they come, for tools that store the bytes.
 *
 * Options: -DN=...   number of processes
 *          -DINIT    an init process starts the users and then does one more step. A process is removed only after
 *                    all those created later, so init stays in the state vector when it has finished. Because the
 *                    users never wait for it, every later state occurs twice: before and after its last step.
 *          -DLATE    with INIT: that step looks at a global variable, so that it is one of its own with --steps path, too
 *          -DSWAPPED turn before flag, the well-known mistake: two processes meet in the critical section
 * Property: at most one process in the critical section. It holds, but for SWAPPED.
 *
 * expect: violated(assertion) states=1179 transitions=2358 errors=8 with -DN=2 -DSWAPPED
 * expect: holds states=679 transitions=1358 with -DN=2
 * expect: holds states=127662 transitions=382986 with -DN=3
 * expect: holds states=1359 transitions=3396 with -DN=2 -DINIT
 * expect: holds states=255325 transitions=893635 with -DN=3 -DINIT
 * expect: holds states=109 transitions=218 steps=path with -DN=2
 * expect: holds states=4559 transitions=13677 steps=path with -DN=3
 * expect: holds states=324487 transitions=1297948 steps=path with -DN=4
 */
#ifndef N
#define N 2
#endif

int flag[N];  /* the level that a process wants: 1 to N-1, or 0 outside */
int turn[N];  /* the last process that arrived on a level */
int ncrit;    /* processes in the critical section */

#ifdef INIT
proctype user(int me) {
#else
active [N] proctype user() {
  int me = _pid;
#endif
  int j, k;

  do
  :: k = 1;
     do
     :: k < N ->
#ifdef SWAPPED
          turn[k] = me;
          flag[me] = k;
#else
          flag[me] = k;
          turn[k] = me;
#endif
          j = 0;
          do
          :: j < N ->
               if
               :: j == me -> j++
               :: else ->
                    if
                    :: flag[j] >= k ->
                         if
                         :: turn[k] == me -> skip  /* wait: read again */
                         :: else -> j++
                         fi
                    :: else -> j++
                    fi
               fi
          :: else -> break
          od;
          k++
     :: else -> break
     od;

     ncrit++;
     assert(ncrit == 1);
     ncrit--;
     flag[me] = 0
  od
}

#ifdef INIT
init {
  int i;
  atomic {
    do
    :: i < N -> run user(i); i++
    :: else -> break
    od
  }
#ifdef LATE
  ncrit >= 0  /* always so */
#else
  skip
#endif
}
#endif
