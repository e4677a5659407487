/* verdicts: safety holds; p holds; p (weak) holds; q (weak) holds; q violated
   216,000 states, nothing is wrong in any. */
byte a, b, c;
active proctype A() { do :: a < 59 -> a++ :: a == 59 -> a = 0 od }
active proctype B() { do :: b < 59 -> b++ :: b == 59 -> b = 0 od }
active proctype C() { do :: c < 59 -> c++ :: c == 59 -> assert(a < 60 && b < 60); c = 0 od }
ltl p { [] (a + b + c < 178) }
ltl q { [] <> (c == 59) }
