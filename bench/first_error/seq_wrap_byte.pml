/* violated: safety
   Go back n with sequence numbers of a byte: the receiver compares them as numbers, which fails when they wrap. */
#define WINDOW 3
chan data = [4] of { byte };
chan acks = [4] of { byte };

active proctype Sender() {
  byte base, next, a;
  do
  :: (next + 256 - base) % 256 < WINDOW && nfull(data) -> data ! next; next++
  :: acks ? a -> base = a
  od
}

active proctype Receiver() {
  byte expected, got;
  do
  :: data ? got ->
       assert(got <= expected);
       if
       :: got == expected -> expected++; assert(expected > got)
       :: else
       fi;
       acks ! expected
  od
}
