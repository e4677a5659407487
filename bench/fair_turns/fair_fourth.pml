/* violated: ltl d; options: --fairness weak
   Weak fairness: of four formulas the last is false. */
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
active [3] proctype Wide() { byte n; do :: n < 255 -> n++ :: n == 255 -> n = 0 :: n > 0 -> n-- od }
ltl a { [] <> (x == 3) }
ltl b { [] (x < 4) }
ltl c { [] <> (x == 1) }
ltl d { [] (x == 3 -> [] (x != 1)) }
