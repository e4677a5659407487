/* An option of a selection is a handshake, the other one is local; unless beside it. */
chan rv = [0] of { byte };
byte g;
active proctype p() { byte l; if :: rv?l -> assert(l != 2) :: l = 7 fi; g = l }
active proctype q() { { g == 7; assert(g != 7) } unless { rv!2; assert(g == 9) } }
