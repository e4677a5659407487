/* violated: safety
   A matrix of 12 x 12 is filled by two workers, row by row; the one from below goes one row too far. */
#define N 12
byte m[144];
active proctype Down() {
  byte r, c;
  for (r : 0 .. 5) { for (c : 0 .. N - 1) { m[r * N + c]++ } }
}
active proctype Up() {
  byte r, c;
  r = N - 1;
  do
  :: r >= 5 -> for (c : 0 .. N - 1) { m[r * N + c]++; assert(m[r * N + c] == 1) } r--
  :: else -> break
  od
}
