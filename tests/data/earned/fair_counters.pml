/* verdicts: safety holds; p violated; p (weak) violated; q (weak) holds
   6.8 million nodes of the product under fairness. */
byte a, b, c;
active proctype A() { do :: a < 210 -> a++ :: a == 210 -> a = 0 od }
active proctype B() { do :: b < 190 -> b++ :: b == 190 -> b = 0 od }
active proctype C() { do :: c < 20 -> c++ :: c == 20 -> c = 0 od }
ltl p { <> (a == 211) }
ltl q { [] <> (a == 210) }
