/* verdicts: safety holds; trace violated
   The event that the trace forbids comes after all others. */
chan q = [1] of { byte };
short a, b;
active proctype A() { do :: a < 299 -> a++ :: a > 0 -> a-- :: atomic { a == 299 && b == 299 && empty(q) -> q ! 2 }
                         :: atomic { a == 0 && empty(q) -> q ! 1 } od }
active proctype B() { do :: b < 299 -> b++ :: b > 0 -> b-- :: q ? _ od }
trace { do :: q ! 1 od }
