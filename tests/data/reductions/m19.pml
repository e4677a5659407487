/* provided of a receiver. */
byte g = 1, h;
chan rv = [0] of { byte };
active proctype p() provided (g == 1) { byte l; l = 1; rv?l; assert(l != 1) }
active proctype q() { if :: rv!1 :: else -> g = 0; h = 1 fi; g = 0; assert(h == 0) }
active proctype r() { byte l; g = 1 - g; l = 1; rv?l }
