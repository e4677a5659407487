byte x[2];
active proctype B() { if :: x[1] == 0 :: else -> assert(false) fi }
active proctype A() { run N(0) }
proctype N(byte i) { i = 1; x[i] = 5 }
