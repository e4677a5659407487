chan c = [1] of { bit };
active proctype A() { c!1 }
active proctype B() { c!!0; assert(false) }
