/* violated: safety
   A puzzle of one process: pieces move on a ring, and a position without a move comes after some hundred. */
byte v[10];
byte hole, moves, far;
short n;
active proctype Puzzle() {
  byte i;
  for (i : 0 .. 9) { v[i] = i }
  do
  :: n < 400 && hole < 9 -> atomic { v[hole] = v[hole + 1]; hole++; v[hole] = 0; n++ }
  :: n < 400 && hole > 0 -> atomic { v[hole] = v[hole - 1]; hole--; v[hole] = 0; n++ }
  :: n < 400 && hole < 8 -> atomic { v[hole] = v[hole + 2]; hole = hole + 2; v[hole] = 0; n++ }
  od
}
