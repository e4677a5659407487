/* violated: ltl no_starvation; options: --fairness weak
   A lock of Anderson's kind, whose counter of slots wraps at 256, no multiple of 3. The claim waits in a location where
   it may wait for ever: a search that leaves it in the first states searches all that is behind them in vain. */
#define THREADS 3
bool free[THREADS] = {true, false};
byte next;
active [THREADS] proctype Worker() {
  byte slot;
  do
  :: d_step { slot = next; next++ };
     free[slot % THREADS];
     free[slot % THREADS] = false;
cs:  skip;
     free[(slot + 1) % THREADS] = true
  od
}
ltl no_starvation { [] <> Worker[0]@cs }
