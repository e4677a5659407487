/* violated: np
   An alternating bit protocol over a line that loses everything: repetition without progress. */
mtype = { MSG, ACK };
chan forth = [2] of { mtype, bit, byte };
chan back = [2] of { mtype, bit };
active proctype Sender() {
  bit b;
  byte n;
  do
  :: forth ! MSG, b, n
  :: back ? ACK, eval(b) -> b = 1 - b; n = (n + 1) % 8
  :: back ? ACK, eval(1 - b)
  od
}
active proctype Receiver() {
  bit b, want;
  byte n;
  do
  :: forth ? MSG, b, n ->
       if
       :: b == want ->
progress:   want = 1 - want
       :: else
       fi;
       back ! ACK, b
  :: forth ? MSG, b, n
  od
}
