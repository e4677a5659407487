/* violated: safety
   Peterson's lock for four processes with one level too few. */
#define N 4
byte level[N], last[N];
byte inside;
active [N] proctype P() {
  byte k, j;
  do
  :: for (k : 1 .. N - 2) {
       level[_pid] = k;
       last[k] = _pid;
       for (j : 0 .. N - 1) {
         if
         :: j != _pid -> (level[j] < k || last[k] != _pid)
         :: else
         fi
       }
     }
     inside++;
     assert(inside == 1);
     inside--;
     level[_pid] = 0
  od
}
