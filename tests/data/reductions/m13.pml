/* The loop is only closed through two processes and a buffered channel each way. */
chan a = [2] of { byte };
chan b = [2] of { byte };
byte g;
active proctype p() { byte x; do :: a!x :: b?x od }
active proctype q() { byte x; do :: a?x :: b!x od }
active proctype r() {
  if
  :: g = 1
  :: g = 2
  :: g = 3
  fi;
  assert(false)
}
