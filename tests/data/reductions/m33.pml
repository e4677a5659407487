/* eval of a global that another process changes. */
chan c = [1] of { byte }; byte g;
active proctype p() { c!1; g = 2 }
active proctype q() { byte l; c?eval(g); assert(false) }
active proctype r() { byte l; l = 1; g = 1; l = 2 }
active proctype s() { byte l; c?1; assert(g == 2) }
