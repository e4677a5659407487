/* The receiver's chain goes on with a rendezvous that nobody is ready for yet. */
chan a = [0] of { byte };
chan b = [0] of { byte };
byte g, h;
active proctype p() { a!1; assert(h != 1) }
active proctype q() { byte x; atomic { a?x; b!x; h = 1 } ; g = 3}
active proctype r() { byte x, y; y = 2; if :: b?x -> assert(g != 3) :: g == 0 -> g = 4 fi; assert(h != 1) }
