/* violated: safety
   Numbers go through twenty stages that add one each; the last stage expects one less. */
#define N 20
chan c[N] = [0] of { byte };
active [N] proctype Stage() {
  byte v;
  do
  :: c[_pid] ? v -> if :: _pid < N - 1 -> c[_pid + 1] ! v + 1 :: else -> assert(v < 30 + N - 1) fi
  od
}
active proctype Source() { byte v; do :: v < 40 -> c[0] ! v; v++ :: else -> break od }
