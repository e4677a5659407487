/* violated: safety
   Each of 180 processes runs the next one, and the last to answer is heard by nobody. */
#define N 180
chan done = [0] of { byte };
byte count;
proctype node(byte n) {
  byte x;
  count++;
  if
  :: n == 0 -> skip
  :: else -> run node(n - 1);
     if :: n % 3 == 0 -> skip :: else -> skip fi;
     done ? x; assert(x != n)
  fi;
  done ! n
}
init { run node(N) }
