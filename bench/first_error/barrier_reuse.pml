/* violated: safety
   A barrier of six that is used again before the slowest has left it. */
#define N 6
byte waiting;
bool go;
byte round[N];
active [N] proctype P() {
  do
  :: round[_pid] < 4 ->
       atomic { waiting++; if :: waiting == N -> go = true :: else fi };
       go;
       atomic { waiting--; if :: waiting == 0 -> go = false :: else fi };
       round[_pid]++
  :: round[_pid] == 4 -> break
  od
}
