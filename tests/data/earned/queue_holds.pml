/* verdicts: safety holds; p holds; p (weak) holds; q holds
   Messages, locals and 300,000 states. */
chan q1 = [5] of { byte };
chan q2 = [5] of { byte };
byte last;
active [2] proctype Send() { byte m; do :: q1 ! m -> m = (m + 1) % 4 od }
active proctype Move() { byte m; do :: q1 ? m -> q2 ! m od }
active proctype Take() { byte m; do :: q2 ? m -> last = m od }
ltl p { [] (last < 4) }
ltl q { [] (len(q1) <= 5) }
