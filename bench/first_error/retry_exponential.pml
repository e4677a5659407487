/* violated: safety
   Two stations back off exponentially; the delay overflows after the tenth collision. */
int delay[2] = 1;
byte collisions;
bit sending[2];
active [2] proctype Station() {
  int left;
  do
  :: sending[_pid] = 1;
     if
     :: sending[1 - _pid] -> collisions++; delay[_pid] = delay[_pid] * 2; assert(delay[_pid] <= 1024); left = delay[_pid]; sending[_pid] = 0;
        do :: left > 0 -> left-- :: else -> break od
     :: !sending[1 - _pid] -> sending[_pid] = 0; delay[_pid] = 1
     fi
  od
}
