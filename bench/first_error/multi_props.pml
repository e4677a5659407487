/* violated: ltl p3
   Three formulas, of which the last fails. */
byte a, b, c; bool r, s;
active proctype A() { do :: a = (a + 1) % 50 od }
active proctype B() { do :: b = (b + 1) % 50 :: b == 25 -> r = !r od }
active proctype C() { do :: c = (c + 1) % 50 :: c == 30 && a == 3 -> s = true :: c == 2 -> s = false od }
ltl p1 { [] (a < 50) }
ltl p2 { [] (b < 50 && c < 50) }
ltl p3 { [] (s -> <> !r) }
