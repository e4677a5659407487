/* violated: safety
   A scrambler shifts a register of 15 bits. A word that was thought to be impossible comes up late. */
short r = 1;
active proctype Scrambler() {
  bit b;
  do
  :: b = ((r >> 14) ^ (r >> 13)) & 1;
     r = ((r << 1) & 32767) | b;
     assert(r != 24577)
  od
}
active proctype Reset() {
  atomic { r == 127 -> r = 1 }
}
