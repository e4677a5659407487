/* A conjunction whose second operand is a full channel beside else. */
chan c = [1] of { byte }; byte g;
active proctype p() { byte x; do :: g == 0 && nfull(c) -> c!1; :: else -> assert(len(c) == 1 || g == 1); break od }
active proctype q() { byte x; c?x; c?x; g = 1; c?x }
active proctype r() { byte l; l = 1; c!5; g = 1; g = 0 }
