/* violated: ltl delivered
   A sliding window of two over a line that may lose. */
chan line = [2] of { byte };
chan acks = [2] of { byte };
byte got;
active proctype Sender() {
  byte base, next, a;
  do
  :: (next + 4 - base) % 4 < 2 && nfull(line) -> line ! next; next = (next + 1) % 4
  :: acks ? a -> base = a
  :: timeout -> next = base
  od
}
active proctype Receiver() {
  byte m, want;
  do
  :: line ? m -> if :: m == want -> got = m; want = (want + 1) % 4; acks ! want :: else -> acks ! want fi
  :: line ? m
  :: acks ? m
  od
}
ltl delivered { [] (got == 1 -> <> (got == 2)) }
