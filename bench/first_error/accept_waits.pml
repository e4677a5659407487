/* violated: accept
   A client that asks for ever without an answer passes an accept label: the server prefers the other client. */
chan ask[2] = [1] of { byte };
chan answer[2] = [1] of { byte };
active proctype Server() {
  byte n;
  do
  :: ask[0] ? n -> answer[0] ! n
  :: empty(ask[0]) && nempty(ask[1]) -> ask[1] ? n; answer[1] ! n
  od
}
active proctype First() {
  byte n;
  do
  :: ask[0] ! n -> answer[0] ? n; n = (n + 1) % 50
  od
}
active proctype Second() {
  byte n;
  do
  :: ask[1] ! n;
accept: do
     :: answer[1] ? n -> break
     :: empty(answer[1]) -> skip
     od
  od
}
