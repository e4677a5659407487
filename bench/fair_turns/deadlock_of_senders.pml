/* violated: safety
   Two full channels, and both wait for room. */
chan a = [2] of { byte };
chan b = [2] of { byte };
active proctype A() { byte m; do :: a ! m -> m++ :: b ? m od }
active proctype B() { byte m; do :: b ! m -> m++ :: a ? m od }
active proctype C() { byte m; a ! 1; b ! 1; a ! 2; b ! 2; a ! 3; b ! 3; a ? m; assert(m == 99) }
ltl p { [] (len(a) <= 2) }
ltl q { [] (len(b) <= 2) }
