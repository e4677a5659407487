/*
 * `provided`: a scheduler outside the processes.
 *
 * Shows: a process with `provided (condition)` takes steps only while the condition holds, whatever its own
 * statements say. A timer hands the processor round; a lock makes a process keep it. The property is about control
 * locations: a watcher looks into the tasks from outside (remote references).
 *
 * Options: -DUNLOCKED  the timer ignores the lock: two processes are in their critical sections at once
 * Property: at most one process is at its label `critical` (assertion by a watcher), no deadlock. Violated for
 * UNLOCKED.
 *
 * expect: holds states=6 transitions=8
 * expect: violated(assertion) states=78 transitions=184 errors=2 with -DUNLOCKED
 */
byte running;
bool locked;

active [2] proctype task() provided (running == _pid) {
  do
  :: locked = true;
critical:
     skip;
     locked = false
  od
}

active proctype timer() {
  do
#ifdef UNLOCKED
  :: running = 1 - running
#else
  :: atomic { !locked -> running = 1 - running }
#endif
  od
}

active proctype watcher() {
end:
  atomic {
    task[0]@critical && task[1]@critical -> assert(false)
  }
}
