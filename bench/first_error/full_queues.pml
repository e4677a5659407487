/* violated: safety
   Two services call each other with queues of four; both may be full at the same time. */
mtype = { CALL, RETURN };
chan a = [4] of { mtype, byte };
chan b = [4] of { mtype, byte };
proctype Service(chan mine, other) {
  byte n, m;
  do
  :: other ! CALL, n -> n = (n + 1) % 4
  :: mine ? CALL, m -> other ! RETURN, m; other ! CALL, n
  :: mine ? RETURN, m
  od
}
init { atomic { run Service(a, b); run Service(b, a) } }
