/* violated: safety
   A register that all initialise: only if the last process is quickest does the check of the first one fail. */
#define N 8
byte set;
bool late;
active [N] proctype P() {
  byte n;
  for (n : 1 .. 4) { skip }
  if
  :: _pid == N - 1 -> late = (set > 0)
  :: else -> atomic { set++; assert(set != N - 1 || late || set < N - 1) }
  fi;
  for (n : 1 .. 4) { skip }
}
