active proctype P() { byte i; L: i = 1; i = 2 }
active proctype Q() { byte i; i = 1; M: i = 2 }
ltl never_both { [] !(P@L && Q@M) }
