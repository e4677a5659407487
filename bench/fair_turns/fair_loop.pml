/* violated: ltl p; options: --fairness weak
   Weak fairness: a loop in which everybody moves, beside a huge graph. */
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
active [3] proctype Wide() { byte n; do :: n < 255 -> n++ :: n == 255 -> n = 0 :: n > 0 -> n-- od }
ltl p { <> (x == 4) }
