/* violated: ltl elected
   Candidates draw numbers; who sees an equal one draws again, so that there may be no leader at all. */
#define N 3
byte number[N], leader;
byte round;
active proctype Election() {
  byte i;
  do
  :: i = 0;
     do
     :: i < N -> if :: number[i] = 1 :: number[i] = 2 :: number[i] = 3 fi; i++
     :: else -> break
     od;
     round = (round + 1) % 20;
     if
     :: number[0] > number[1] && number[0] > number[2] -> leader = 1; break
     :: number[1] > number[0] && number[1] > number[2] -> leader = 2; break
     :: number[2] > number[1] && number[2] > number[0] -> leader = 3; break
     :: else
     fi
  od
}
ltl elected { <> (leader > 0) }
