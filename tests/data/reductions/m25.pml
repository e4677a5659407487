/* A channel as an argument of run, from a local that is assigned later. */
chan c = [1] of { byte }; chan d = [1] of { byte };
proctype w(chan k) { byte l; l = 1; k!5; if :: full(d) -> assert(false) :: nfull(d) fi }
active proctype p() { chan k = c; k = d; run w(k); k = c; run w(k) }
active proctype q() { byte x; x = 2; d!1; if :: d?x -> assert(x == 1) :: c?x fi }
