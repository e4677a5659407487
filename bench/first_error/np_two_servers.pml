/* violated: np
   Requests go to the server that is free; the pair that hands them back and forth makes no progress. */
chan a = [1] of { byte };
chan b = [1] of { byte };
byte n;
active proctype A() { byte v; do :: a ? v -> if :: b ! v :: v == 7 -> progress: n = (n + 1) % 100; a ! v fi od }
active proctype B() { byte v; do :: b ? v -> a ! (v + 1) % 200 od }
init { a ! 1 }
