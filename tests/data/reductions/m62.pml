chan c = [1] of { bit }; bit x;
active proctype X() { x = 1 }
active proctype A() { nempty(c); (x == 0); assert(false) }
active proctype B() { c!1 }
