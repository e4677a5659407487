/*
 * Process priorities, and priority inversion as on the Mars Pathfinder (1997).
 *
 * Shows: `priority` and set_priority(). Of the processes that can take a step only those of highest priority may. A
 * low task holds the bus when a high task wants it. If a busy task of middle priority runs then, the low task never
 * gets the processor and the high task waits for it. With INHERIT the holder of the bus runs with the highest
 * priority (priority inheritance), so the middle task cannot come between.
 *
 * Options: -DINHERIT
 * Property: the middle task never runs while the high task waits for the bus (assertion): violated, but for INHERIT.
 *
 * expect: violated(assertion) states=12 transitions=12 errors=1
 * expect: holds states=16 transitions=20 with -DINHERIT
 */
bool busy;         /* somebody holds the bus */
bool waiting;      /* the high task wants it */
bool interrupt;    /* something for the high task to do */
bool data;         /* something for the middle task to do */

#define LOW    1
#define MIDDLE 5
#define HIGH   9

active proctype low() priority 1 {
  do
  :: atomic {
       !busy -> busy = true;
#ifdef INHERIT
       set_priority(_pid, HIGH)
#endif
     }
     interrupt = true;
     data = true;
     atomic {
       busy = false;
#ifdef INHERIT
       set_priority(_pid, LOW)
#endif
     }
  od
}

active proctype middle() priority 5 {
  do
  :: data ->
       assert(!waiting);
       data = false
  od
}

active proctype high() priority 9 {
  do
  :: interrupt ->
       waiting = true;
       atomic { !busy -> busy = true; waiting = false };
       interrupt = false;
       busy = false
  od
}
