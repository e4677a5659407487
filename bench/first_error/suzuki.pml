/* violated: ltl noStarve
   A token that its holder keeps; messages fill the queues in very many ways. */
#define N 3
chan rq[N] = [6] of { byte, byte }; chan tok[N] = [1] of { byte };
byte rn[9], ln[N]; bool incs[N];
proctype P(byte me) {
  byte j, k; bool have = (me == 0);
  do
  :: rq[me] ? j, k -> rn[me*N+j] = (k > rn[me*N+j] -> k : rn[me*N+j]);
  :: !have -> rn[me*N+me] = (rn[me*N+me] + 1) % 4; for (k : 0 .. N-1) { if :: k != me && nfull(rq[k]) -> rq[k] ! me, rn[me*N+me] :: else fi };
     do :: rq[me] ? j, k -> skip :: tok[me] ? _ -> have = true; break od;
     incs[me] = true; incs[me] = false; ln[me] = rn[me*N+me]
  :: have -> k = 0; do :: k < N && (k == me || rn[me*N+k] == ln[k]) -> k++ :: k < N && !(k == me || rn[me*N+k] == ln[k]) -> have = false; tok[k] ! 0; break :: k == N -> break od
  od
}
init { atomic { run P(0); run P(1); run P(2) } }
ltl noStarve { [] <> incs[2] }
