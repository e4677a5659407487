/* violated: safety
   Sixty cells pass a token on in a chain of channels; the last one waits for a second one. */
#define N 60
chan c[N] = [1] of { byte };
active [N] proctype Cell() {
  byte v;
  c[_pid] ? v;
  if
  :: _pid + 1 < N -> c[_pid + 1] ! v + 1
  :: else -> c[_pid] ? v
  fi
}
active proctype Source() { c[0] ! 1 }
