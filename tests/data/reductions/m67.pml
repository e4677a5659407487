byte x; chan c = [1] of { byte };
active proctype A() { x = 1 }
active proctype B() { c?eval(x); assert(false) }
active proctype C() { c!0 }
