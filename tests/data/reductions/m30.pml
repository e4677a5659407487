/* A chain given away by rendezvous to a process whose chain starts another one. */
chan a = [0] of { byte }; byte g;
proctype c() { g = g + 1; assert(g != 3) }
active proctype p() { byte l; l = 1; atomic { g = 1; a!1; g = 2 } }
active proctype q() { byte x; atomic { a?x; run c(); x = 3 } }
active proctype r() { byte l; l = 1; if :: _nr_pr == 4 -> assert(g == 2) :: g == 2 -> skip fi }
