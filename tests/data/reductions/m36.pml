/* 64 processes, and 66 later. */
byte g;
chan c = [1] of { byte };
proctype w(byte n) { n == 250 }
active proctype p() { byte i; g == 1; run w(1); run w(2); run w(3); c!1; assert(false) }
active [60] proctype idle() { (false) }
active proctype q() { byte l; l = 1; g = 1; c?l; assert(l == 0) }
