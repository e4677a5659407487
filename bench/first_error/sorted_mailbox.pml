/* violated: safety
   A mailbox sorted by priority, from which a service takes urgent letters first and drops the oldest when it is full. */
chan box = [6] of { byte, byte };
byte waits;
active [2] proctype Writer() {
  byte p, n;
  do
  :: select(p : 1 .. 3); atomic { nfull(box) -> box !! p, n; waits++ }; n = (n + 1) % 3
  od
}
active proctype Service() {
  byte p, n;
  do
  :: atomic { box ?? 1, n -> waits-- }
  :: atomic { full(box) -> box ? p, n; waits--; assert(p == 1 || len(box) < 5) }
  od
}
