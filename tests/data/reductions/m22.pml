/* timeout is one alternative. */
byte g; chan c = [1] of { byte };
active proctype p() { do :: c!1 -> g++ :: timeout -> assert(g < 2); break od }
active proctype q() { byte x; do :: c?x; c?x :: g > 1 -> break od }
active proctype r() { byte l; l = 1; l = 2; timeout; assert(l == 3) }
