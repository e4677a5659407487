/* violated: safety
   Factorials by processes that run each other: numbers of a short are too small for that of eight. */
proctype Factorial(short n; chan result) {
  short r;
  chan child = [1] of { short };
  if
  :: n <= 1 -> result ! 1
  :: else -> run Factorial(n - 1, child); child ? r; assert(r > 0); result ! r * n
  fi
}
init {
  chan result = [1] of { short };
  short r;
  run Factorial(12, result);
  result ? r;
  assert(r > 0)
}
