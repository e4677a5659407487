/* enabled of a process. */
byte g;
active proctype p() { byte l; l = 1; g == 1; g = 2; l = 4 }
active proctype q() { byte l; l = 1; enabled(0); l = 2; !enabled(0); assert(g == 0) }
active proctype r() { byte l; l = 1; g = 1 }
