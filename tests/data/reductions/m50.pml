chan c = [0] of { byte }; chan e = [0] of { byte };
active proctype R() { chan d = c; byte i, v; i = 1; d?v; d = e; d?v }
active proctype P() { if :: c!1 :: else -> assert(false) fi }
