/* violated: safety
   Processes that run only in their time slice; a slice may end inside the section that they share. */
byte turn, inside;
active proctype Clock() { do :: turn = (turn + 1) % 3 od }
proctype Task() provided (turn == _pid - 2) {
  byte n;
  do
  :: n < 50 -> n++
  :: n > 20 -> inside++; assert(inside == 1); inside--; n = 0
  od
}
init { atomic { run Task(); run Task(); run Task() } }
