chan c = [1] of { bit };
active proctype A() { nfull(c) }
active proctype B() { c!1 }
