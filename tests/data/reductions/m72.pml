byte x, z; bit y;
active proctype P() { z = 1 }
active proctype Q() { x = z + 1 }
active proctype R() { y = 1 }
ltl order { [] ((y == 1 && x == 0) -> [] (x != 1)) }
