/* provided: p may not move while q is half-way. */
byte g = 1, h;
active proctype p() provided (g) { byte l; l = 1; h = 1; l = 2; h = 2 }
active proctype q() { g = 0; h == 1 -> assert(h == 2); g = 1 }
