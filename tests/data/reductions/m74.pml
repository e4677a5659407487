/* The number of a channel that does not exist yet is not known; it is an index here. */
byte flag[8];
init { run Q() }
proctype Q() { chan m = [1] of {byte}; flag[m] = 1 }
active proctype X() { byte i; i = flag[1]; assert(i == 0) }
