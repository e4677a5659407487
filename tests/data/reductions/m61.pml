chan c = [1] of { bit }; bit x;
active proctype X() { x = 1 }
active proctype A() { full(c); nfull(c); (x == 0); assert(false) }
active proctype B() { c!1; c?1 }
