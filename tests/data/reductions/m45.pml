chan c = [0] of { byte }; chan e = [0] of { byte };
active proctype R() { chan d = c; byte v; d?v; assert(v != 2); d = e; d?v }
active proctype S1() { chan d = c; d!1; d = e; d!1 }
active proctype S2() { byte i; i++; c!2 }
