/* As m74, and the channel is a parameter. */
byte flag[8];
init { run Q() }
proctype Q() { chan m = [1] of {byte}; run R(m) }
proctype R(chan m) { flag[m] = 1 }
active proctype X() { byte i; i = flag[1]; assert(i == 0) }
