byte x[2];
active proctype B() { if :: x[1] == 0 :: else -> assert(false) fi }
active proctype A() { byte i; i = 0; i = 1; x[i] = 5 }
