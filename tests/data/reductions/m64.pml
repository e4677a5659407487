chan c = [0] of { bit }; bit x;
active proctype X() { x = 1 }
active proctype A() { bit v; c?v; (x == 0); assert(false) }
active proctype B() { byte i; i = 1; c!1 }
