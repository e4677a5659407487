chan c = [1] of { bit };
active proctype A() { (len(c) == 0) }
active proctype B() { c!1 }
