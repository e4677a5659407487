/* An atomic chain that waits for a handshake half-way and goes on atomically, twice. */
chan a = [0] of { byte }; byte g;
active proctype p() { atomic { g = 1; a!1; assert(g == 1); a!2; g = 2 } }
active proctype q() { byte x; g++; a?x; g++; a?x; g++ }
active proctype r() { byte l; l = 1; if :: g == 2 -> l = 3; g = 7 :: g == 1 -> g = 9 fi; assert(g != 3) }
