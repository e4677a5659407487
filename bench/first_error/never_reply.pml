/* violated: accept
   A claim that was written by hand: a request that is never replied to, beside a server with a cache. */
byte request, reply;
byte cache[3];
active proctype Client() {
  byte k;
  do
  :: request == 0 && reply == 0 -> select(k : 1 .. 3); request = k
  :: reply != 0 -> reply = 0
  od
}
active proctype Server() {
  byte k;
  do
  :: request != 0 ->
       k = request;
       request = 0;
       if
       :: cache[k - 1] < 4 -> cache[k - 1]++; reply = k
       :: cache[k - 1] >= 4 -> do :: cache[k - 1] > 2 -> cache[k - 1]-- :: cache[k - 1] < 4 -> cache[k - 1]++ :: reply = k; break od
       fi;
  od
}
never {
T0: do
  :: request != 0 && reply == 0 -> goto accept_waits
  :: true
  od;
accept_waits: do
  :: reply == 0
  od
}
