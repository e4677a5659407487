/* violated: ltl converge
   Distance vectors that count to infinity. */
#define INF 16
byte d[3] = 1; bool up = true;
chan c01 = [2] of { byte }; chan c10 = [2] of { byte }; chan c12 = [2] of { byte }; chan c21 = [2] of { byte };
active proctype R0() { byte x; d[0] = 1; do :: up -> up = false; d[0] = INF :: c10 ? x -> if :: x + 1 < d[0] && x < INF -> d[0] = x + 1 :: else fi :: nfull(c01) -> c01 ! d[0] od }
active proctype R1() { byte x; d[1] = 2; do :: c01 ? x -> d[1] = (x < INF -> x + 1 : INF) :: c21 ? x -> if :: x + 1 < d[1] -> d[1] = x + 1 :: else fi :: nfull(c10) -> c10 ! d[1] :: nfull(c12) -> c12 ! d[1] od }
active proctype R2() { byte x; d[2] = 3; do :: c12 ? x -> d[2] = (x < INF -> x + 1 : INF) :: nfull(c21) -> c21 ! d[2] od }
ltl converge { [] (!up -> <> (d[0] == INF && d[1] == INF && d[2] == INF)) }
