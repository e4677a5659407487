/* violated: safety
   Clients send their own channel along; the server keeps the channel of the last one in a global. */
chan service = [2] of { chan, byte };
chan kept;
active proctype Server() {
  byte n;
  do
  :: service ? kept, n -> if :: n < 3 -> skip :: n >= 3 -> service ? kept, n fi; kept ! n
  od
}
active [3] proctype Client() {
  chan mine = [1] of { byte };
  byte n, r;
  do
  :: service ! mine, n; mine ? r; assert(r == n); n = (n + 1) % 6
  od
}
