byte g, h;
active proctype P() { byte i; h = 1; atomic { i = 1; g = 1 } }
active proctype Q() { (h == 1 && g == 0); assert(false) }
