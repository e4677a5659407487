/* violated: trace
   The second message is none that the trace allows. */
chan q = [1] of { byte };
active [6] proctype Wide() { byte n; do :: n < 99 -> n++ :: n > 0 -> n-- od }
active proctype S() { byte m; do :: q ! m -> m = 1 - m od }
active proctype R() { byte m; do :: q ? m od }
trace { do :: q ! 0 :: q ? 0 od }
