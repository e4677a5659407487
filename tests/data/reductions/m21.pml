/* A remote variable. */
byte g;
active proctype c() { byte x; x = 1; x = 2; x = 3; x = 4; g = 1 }
active proctype q() { byte y; y = 1; (c[0]:x == 3); assert(g == 1) }
active proctype r() { byte y; y = c[0]:x; assert(y != 2) }
