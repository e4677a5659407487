chan c = [1] of { bit };
active proctype A() { nempty(c) }
active proctype B() { c!1; c?1 }
