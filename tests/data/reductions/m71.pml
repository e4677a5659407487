chan c = [1] of { bit };
active proctype A() { c!1; c?1 }
active proctype B() { (nfull(c) -> 0 : 1); assert(false) }
