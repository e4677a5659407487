/* violated: ltl p
   A trace that holds and a huge safety graph, before a formula that is false. */
chan q = [1] of { byte };
byte sent;
active [6] proctype Wide() { byte n; do :: n < 99 -> n++ :: n > 0 -> n-- od }
active proctype S() { byte m; do :: atomic { q ! m -> sent = m; m = 1 - m } od }
active proctype R() { byte m; do :: q ? m od }
trace { do :: q ! 0 :: q ! 1 od }
ltl p { [] (sent == 0) }
