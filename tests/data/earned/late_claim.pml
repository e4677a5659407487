/* verdicts: never_0 violated; safety holds
   The claim ends in one corner of a square of 90,000 states. */
short a, b;
active proctype A() { do :: a < 299 -> a++ :: a > 0 -> a-- od }
active proctype B() { do :: b < 299 -> b++ :: b > 0 -> b-- od }
never { do :: !(a == 299 && b == 298) :: a == 299 && b == 298 -> break od }
