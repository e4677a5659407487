/* violated: safety
   Fibonacci numbers by two processes for each number, and a wrong guess of the tenth. */
proctype Fib(byte n; chan up) {
  byte a, b;
  chan c = [0] of { byte };
  if
  :: n < 2 -> up ! n
  :: else -> run Fib(n - 1, c); c ? a; run Fib(n - 2, c); c ? b; up ! a + b
  fi
}
init {
  chan c = [0] of { byte };
  byte r;
  run Fib(11, c);
  c ? r;
  assert(r != 89)
}
