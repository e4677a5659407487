/* violated: safety
   A controller learns for 30,000 steps, then sets three valves at once; one setting bursts the pipe. */
short t;
byte v[3];
active proctype Controller() {
  byte a, i;
  do
  :: t < 30000 -> t++
  :: t == 30000 ->
     atomic {
       for (i : 0 .. 2) { select(a : 0 .. 20); v[i] = a };
       i = 0; a = 0
     };
     assert(!(v[0] == 11 && v[1] == 3 && v[2] == 19))
  od
}
