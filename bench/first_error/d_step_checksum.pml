/* violated: safety
   Frames carry a checksum that is computed in one step; two flips by the line cancel out. */
chan line = [2] of { byte, byte, byte, byte };
byte sent;
active proctype Sender() {
  byte a, b, c;
  do
  :: select(a : 0 .. 15); select(b : 0 .. 15);
     d_step { c = (a + b) & 15; sent = a }
     line ! a, b, 0, c
  od
}
active proctype Line() {
  byte a, b, z, c;
  do
  :: atomic { line ? a, b, z, c; line ! a ^ 1, b, 1, c }
  :: atomic { line ? a, b, 1, c; line ! a, b ^ 1, 1, c }
  od
}
active proctype Receiver() {
  byte a, b, z, c, sum;
  do
  :: line ? a, b, z, c ->
       d_step { sum = (a + b) & 15; if :: sum == c -> assert(z == 0) :: else fi; a = 0; b = 0; c = 0; sum = 0 }
  od
}
