/* violated: safety
   Orders of 4,096 kinds arrive; the buffer of the fifth is one too small. */
chan q = [4] of { short };
byte lost;
active proctype Shop() {
  short kind;
  do
  :: atomic { select(kind : 0 .. 4095); if :: nfull(q) -> q ! kind :: full(q) -> lost++ fi; kind = 0 };
     assert(lost == 0)
  od
}
active proctype Clerk() { short k; do :: q ? k; k = 0 od }
