/* Ends and _nr_pr. */
byte g;
active proctype p() { _nr_pr == 2; assert(g == 0) }
active proctype q() { g = 1; _nr_pr == 3 -> g = 2; }
active proctype r() { byte l; l = 1 }
active proctype s() { byte l; l = 1; l = 2 }
