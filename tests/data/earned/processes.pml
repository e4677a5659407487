/* verdicts: safety violated
   Processes are created one after the other, so that the layout of states changes again and again; the assertion fails
   when all are there. */
byte n, sum;
proctype C(byte x) {
  byte y;
  do
  :: y < 9 -> y = y + x
  :: y >= 9 -> sum = (sum + y) % 7; assert(n != 6 || sum != 3); y = 0
  od
}
init { do :: n < 6 -> n++; run C(1) :: n < 6 -> n++; run C(2) :: n == 6 -> break od }
