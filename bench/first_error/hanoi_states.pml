/* violated: safety
   Towers of Hanoi, moves chosen inside an atomic sequence: 27 outcomes of each state, of which a dive needs one. */
#define N 9
byte peg[N];
active proctype H() {
  byte d, t, k; bool ok;
  do
  :: atomic { select(d : 0 .. 8); select(t : 0 .. 2);
     k = 0; ok = (peg[d] != t);
     do :: k < d -> if :: peg[k] == peg[d] || peg[k] == t -> ok = false :: else fi; k++ :: else -> break od;
     if :: ok -> peg[d] = t :: else fi; d = 0; t = 0; k = 0; ok = false };
     assert(!(peg[0]==2&&peg[1]==2&&peg[2]==2&&peg[3]==2&&peg[4]==2&&peg[5]==2&&peg[6]==2&&peg[7]==2&&peg[8]==2))
  od
}
