/* violated: safety
   Three servers elect a leader; one of them votes twice in a term. */
#define N 3
#define T 3
mtype = { vreq, vok };
chan box[N] = [4] of { mtype, byte, byte };
byte term[N]; byte leader[4];
proctype Server(byte me) {
  byte votes, t, from; byte voted = 255; bool cand;
  do
  :: term[me] < T && !cand -> atomic { term[me]++; cand = true; votes = 1; /* forgets to vote for itself */
       byte i; for (i : 0 .. N-1) { if :: i != me && nfull(box[i]) -> box[i] ! vreq, me, term[me] :: else fi } }
  :: box[me] ? vreq, from, t ->
     if
     :: t > term[me] -> term[me] = t; cand = false; voted = from; if :: nfull(box[from]) -> box[from] ! vok, me, t :: full(box[from]) fi
     :: t == term[me] && voted == 255 -> voted = from; if :: nfull(box[from]) -> box[from] ! vok, me, t :: full(box[from]) fi
     :: else
     fi
  :: box[me] ? vok, from, t ->
     if :: cand && t == term[me] -> votes++ :: else fi;
     if :: cand && votes * 2 > N -> leader[t]++; assert(leader[t] <= 1); cand = false :: else fi
  :: cand -> cand = false
  od
}
init { byte i; atomic { for (i : 0 .. N-1) { run Server(i) } } }
