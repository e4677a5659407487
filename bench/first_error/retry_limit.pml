/* violated: safety
   A client repeats a request over a channel that loses; it gives up after 200 tries, which was said not to happen. */
mtype = { REQUEST, ANSWER };
chan up = [1] of { mtype, bit };
chan down = [1] of { mtype, bit };

active proctype Client() {
  byte tries;
  bit round;
  do
  :: up ! REQUEST, round;
     do
     :: down ? ANSWER, eval(round) -> tries = 0; round = 1 - round; break
     :: down ? ANSWER, eval(1 - round)
     :: timeout -> tries++; assert(tries < 200); up ! REQUEST, round
     od
  od
}

active proctype Server() {
  bit r;
  do
  :: up ? REQUEST, r ->
       if
       :: down ! ANSWER, r
       :: skip
       fi
  :: up ? REQUEST, r
  od
}
