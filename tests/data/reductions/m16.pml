/* A loop that runs a process in each round. */
byte g;
proctype child(byte n) { g = n }
active proctype p() { do :: _nr_pr < 4 -> run child(1) od }
active proctype r() { g = 2; assert(g != 1); g == 1; assert(false) }
