/* verdicts: safety violated
   The assertion fails in one corner of a cube of 250,000 states. */
byte a, b, c;
active proctype A() { do :: a < 62 -> a++ :: a > 0 -> a-- od }
active proctype B() { do :: b < 62 -> b++ :: b > 0 -> b-- od }
active proctype C() { do :: c < 62 -> c++ :: c > 0 -> c-- :: c == 62 && b == 62 -> assert(a != 62) od }
