/* violated: safety
   Each round counts up to a thousand in an atomic loop and may turn at any time; round 200 is one too many. */
short n; byte rounds;
active proctype Counter() {
  do
  :: atomic {
       n = 0;
       do
       :: n < 1000 -> n++
       :: n > 990 -> break
       od;
       rounds++
     };
     assert(rounds < 200)
  od
}
