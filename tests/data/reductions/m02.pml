/* An atomic chain that blocks half-way at a rendezvous. */
chan rv = [0] of { byte };
byte g, h;
active proctype p() { atomic { g = 1; rv!1; h = 1 } }
active proctype q() { byte x; if :: rv?x -> assert(h == 0) :: g == 1 -> x = 3; rv?x fi; assert(x != 1) }
active proctype r() { byte x; h = 2; rv?x; assert(g == 5) }
