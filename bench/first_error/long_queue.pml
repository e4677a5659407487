/* violated: safety
   A queue of 100 messages between a quick source and a slow sink with a checksum of a byte. */
chan q = [100] of { byte };
byte in_sum, out_sum;
active proctype Source() {
  byte n;
  do
  :: atomic { nfull(q) -> q ! n; in_sum = in_sum + n }; n = (n + 1) % 11
  od
}
active proctype Sink() {
  byte n;
  do
  :: atomic { q ? n; out_sum = out_sum + n; assert(len(q) < 99 || in_sum != out_sum + 7) }
  :: atomic { full(q) && in_sum == 43 -> assert(false) }
  od
}
