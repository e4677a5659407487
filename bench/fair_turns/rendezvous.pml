/* violated: ltl q
   Processes talk by rendezvous; the second formula is false after two handshakes. */
chan r = [0] of { byte };
byte got;
active [4] proctype Send() { byte m; do :: r ! m -> m = (m + 1) % 50 od }
active [4] proctype Take() { byte m, sum; do :: r ? m -> atomic { got = m; sum = (sum + m) % 101 } od }
ltl p { [] (got < 50) }
ltl q { [] (got < 2) }
