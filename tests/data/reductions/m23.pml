/* An index that is assigned later; arrays of channels in structures. */
typedef T { chan c[2]; byte n };
T t;
chan x = [1] of { byte }; chan y = [1] of { byte };
active proctype p() { byte i; t.c[0] = x; t.c[1] = y; t.n = 1; i = 1; t.c[i]!3; t.c[1 - i]!4 }
active proctype q() { t.n == 1; x!9; if :: nempty(y) -> assert(false) :: y!8 fi }
active proctype r() { byte v; t.n == 1; do :: x?v -> if :: v == 9 -> assert(len(y) != 1) :: else fi :: y?v od }
