/* violated: safety
   A pool starts workers when its queue is long and ends them by a poison pill; the pills may outnumber the workers. */
chan jobs = [6] of { byte };
byte workers, done;
proctype Worker() {
  byte j;
  do
  :: jobs ? j ->
       if
       :: j == 0 -> workers--; break
       :: else -> done++
       fi
  od
}
active proctype Pool() {
  byte sent, pills;
  do
  :: sent < 12 -> jobs ! 1; sent++
  :: len(jobs) > 2 && workers < 5 -> atomic { workers++; run Worker() }
  :: sent == 12 -> break
  od;
  pills = workers;
  do
  :: pills > 0 -> jobs ! 0; pills--
  :: pills == 0 -> break
  od;
  assert(done == 12)
}
