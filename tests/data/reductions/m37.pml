/* The process of pid 63 matters. */
byte g;
active [62] proctype idle() { (false) }
active proctype p() { byte l; l = 1; if :: g == 1 -> g = 2 :: g == 0 -> g = 3 fi; assert(g != 3) }
active proctype q() { byte l; l = 2; g = 1; assert(g == 1) }
