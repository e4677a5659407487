/* An atomic sequence whose first send is possible, and whose second one is after a receive only. */
chan c = [2] of { byte };
byte g, h;
init { c!1; atomic { run p(); run q(); run r() } }
proctype p() { byte x; c?x; g = 1 }
proctype q() { atomic { c!2; c!3; h = 1 } }
proctype r() { g == 1 && h == 0; assert(false) }
