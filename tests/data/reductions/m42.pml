/* An atomic sequence stops half-way at a full channel; whether it is full depends on a plain receive. */
chan c = [1] of { byte };
byte g, h;
init { c!1; atomic { run p(); run q(); run r() } }
proctype p() { byte x; c?x }
proctype q() { atomic { g = 1; c!2; h = 1 } }
proctype r() { g == 1 && h == 0; assert(false) }
