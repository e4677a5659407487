chan c = [1] of { bit };
active proctype A() { (len(c) == 1) }
active proctype B() { c!1; c?1 }
