/* violated: ltl p
   Forty processes are created; a formula is false when the third is. */
byte n;
proctype C(byte me) { byte y; do :: y < 200 -> y = y + me :: y >= 200 -> y = 0 od }
init { do :: n < 40 -> run C(n + 1); n++ :: n == 40 -> break od }
ltl p { [] (n < 3) }
