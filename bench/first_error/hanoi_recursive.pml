/* violated: safety
   The towers of Hanoi by recursion; the bound for the number of moves is one too small. */
short moves;
byte peg[8];
proctype Move(byte n, from, to; chan up) {
  chan c = [0] of { bit };
  if
  :: n > 0 ->
       run Move(n - 1, from, 3 - from - to, c); c ? 1;
       atomic { peg[n - 1] = to; moves++; assert(moves < 255) };
       run Move(n - 1, 3 - from - to, to, c); c ? 1
  :: else
  fi;
  up ! 1
}
init {
  chan c = [0] of { bit };
  run Move(8, 0, 2, c);
  c ? 1
}
