/* violated: trace
   The run that notrace forbids is the one that begins each run. */
chan q = [1] of { byte };
active [6] proctype Wide() { byte n; do :: n < 99 -> n++ :: n > 0 -> n-- od }
active proctype S() { byte m; do :: q ! m -> m = (m + 1) % 5 od }
active proctype R() { byte m; do :: q ? m od }
notrace { q ! 0; q ! 1; q ! 2; q ! 3 }
