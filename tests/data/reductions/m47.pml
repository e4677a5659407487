bit x; bit y = 1;
active proctype P() { y = 0 }
active proctype Q() { x = 1 }
ltl never_both { [] !(x && y) }
