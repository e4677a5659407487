/* violated: safety
   A proctype that runs itself: 200 processes, then an assertion fails. */
proctype F(byte n; chan back) {
  chan mine = [1] of { int };
  int x;
  if :: n == 0 -> x = 1 :: n > 0 -> run F(n - 1, mine); mine ? x; x = x + 1 fi;
  back ! x
}
init { chan answer = [1] of { int }; int x; run F(200, answer); answer ? x; assert(x != 201) }
