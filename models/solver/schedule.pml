/*
 * Jobs on one machine: each takes some time, has to be done by some time, and some have to come before others.
 *
 * Shows: a plan as one step. `choose` finds every plan that meets the constraints; then a clock runs, and the jobs start when
 * the plan says so.
 *
 * Options: -DWRONG  the plan forgets that job 2 needs what job 0 makes
 *          -DLARGE  four jobs in 30 units of time instead of three in six
 * Properties: one job at a time, and what a job needs is there when it starts (assertions): violated with WRONG; every plan runs to
 * the end.
 *
 * expect: holds states=254 transitions=253
 * expect: violated(assertion) states=506 transitions=505 errors=12 with -DWRONG
 * expect: holds states=4142 transitions=4141 solver with -DLARGE
 * expect: violated(assertion) states=8282 transitions=8281 errors=60 solver with -DWRONG -DLARGE
 */
#define PROMELA_S 1
#ifndef LARGE
#define JOBS 3
#define END 6
#define TAKES_0 1
#define TAKES_1 2
#define TAKES_2 2
#else
#define JOBS 4
#define END 30
#define TAKES_0 7
#define TAKES_1 8
#define TAKES_2 9
#define TAKES_3 5
#endif
/* i and j do not overlap */
#define APART(i, j) (start[i] + takes[i] <= start[j] || start[j] + takes[j] <= start[i])
#define IN_TIME(i) (start[i] + takes[i] <= END)
#ifdef WRONG
#define ORDERED true
#else
#define ORDERED (start[0] < start[2])
#endif

byte takes[JOBS];
byte start[JOBS];
byte clock;
byte busy;      /* jobs that run */
bool made;      /* what job 2 needs */
bool planned;

active proctype planner() {
  d_step {
    takes[0] = TAKES_0; takes[1] = TAKES_1; takes[2] = TAKES_2;
#ifdef LARGE
    takes[3] = TAKES_3;
#endif
  }
#ifndef LARGE
  choose (start[0] : 0 .. END, start[1] : 0 .. END, start[2] : 0 .. END)
    where (IN_TIME(0) && IN_TIME(1) && IN_TIME(2) && APART(0, 1) && APART(0, 2) && APART(1, 2) && ORDERED);
#else
  choose (start[0] : 0 .. END, start[1] : 0 .. END, start[2] : 0 .. END, start[3] : 0 .. END)
    where (IN_TIME(0) && IN_TIME(1) && IN_TIME(2) && IN_TIME(3) && APART(0, 1) && APART(0, 2) && APART(0, 3) &&
           APART(1, 2) && APART(1, 3) && APART(2, 3) && ORDERED);
#endif
  planned = true
}

active proctype machine() {
  byte i;
  planned;
  do
  :: clock <= END ->
     d_step {
       for (i : 0 .. JOBS - 1) {
         if
         :: start[i] + takes[i] == clock -> busy--; made = made || i == 0
         :: else
         fi
       }
       for (i : 0 .. JOBS - 1) {
         if
         :: start[i] == clock -> assert(busy == 0); assert(i != 2 || made); busy++
         :: else
         fi
       }
       i = 0;
       clock++
     }
  :: else -> break
  od;
  assert(busy == 0)
}
