/* violated: safety
   Quicksort with a process for each half; the pivot is forgotten when a half is empty. */
byte a[10];
proctype Sort(byte low, high; chan done) {
  byte i = low, last = low, t;
  chan sub = [2] of { bit };
  if
  :: low >= high
  :: else ->
       i = low + 1;
       do
       :: i <= high && a[i] < a[low] -> last++; t = a[i]; a[i] = a[last]; a[last] = t; i++
       :: i <= high && a[i] >= a[low] -> i++
       :: i > high -> break
       od;
       t = a[low]; a[low] = a[last]; a[last] = t;
       if
       :: last > low -> run Sort(low, last - 1, sub); sub ? 1
       :: else
       fi;
       if
       :: last + 2 < high -> run Sort(last + 1, high, sub); sub ? 1
       :: else
       fi
  fi;
  done ! 1
}
init {
  byte i;
  chan done = [1] of { bit };
  for (i : 0 .. 9) { a[i] = (7 * i + 3) % 10 }
  run Sort(0, 9, done);
  done ? 1;
  for (i : 1 .. 9) { assert(a[i - 1] <= a[i]) }
}
