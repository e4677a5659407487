chan c = [0] of { bit }; chan e = [0] of { bit }; bit x;
active proctype X() { x = 1 }
active proctype A() { chan d = c; bit v; d?v; (x == 0); assert(false); d = e; d?v }
active proctype B() { byte i; i = 1; c!1 }
