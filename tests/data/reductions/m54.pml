chan c = [1] of { bit };
active proctype A() { c!1; c?1 }
active proctype B() { nempty(c); assert(false) }
