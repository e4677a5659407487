/* violated: ltl p12
   Twelve formulas, the last of which is false. */
byte x;
active [6] proctype Wide() { byte n; do :: n < 99 -> n++ :: n > 0 -> n-- od }
active proctype P() { do :: x < 20 -> x++ :: x == 20 -> x = 0 od }
ltl p1 { [] (x <= 21) }
ltl p2 { [] (x <= 22) }
ltl p3 { [] (x <= 23) }
ltl p4 { [] (x <= 24) }
ltl p5 { [] (x <= 25) }
ltl p6 { [] (x <= 26) }
ltl p7 { [] (x <= 27) }
ltl p8 { [] (x <= 28) }
ltl p9 { [] (x <= 29) }
ltl p10 { [] (x <= 30) }
ltl p11 { [] (x <= 31) }
ltl p12 { [] (x <= 12) }
