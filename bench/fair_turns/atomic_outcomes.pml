/* violated: ltl p
   An atomic sequence with a million outcomes beside a formula that is false after two steps. */
byte i, x;
bit v[20];
active proctype P() { atomic { do :: i < 20 -> if :: v[i] = 0 :: v[i] = 1 fi; i++ :: else -> break od } }
active proctype Q() { x = 1; x = 2 }
ltl p { [] (x < 2) }
