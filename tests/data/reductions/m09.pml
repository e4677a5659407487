/* Division by a frozen local that is 0. */
byte a[3];
proctype p(byte z) { byte y; y = 1; if :: z > 0 -> a[1 / z] = 2 :: else -> a[0] = 1 fi; a[y / (z + 1)] = 3 }
proctype q() { a[0] == 1; assert(a[1] == 0) }
init { run p(0); run p(1); run q() }
