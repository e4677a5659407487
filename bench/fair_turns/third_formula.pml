/* violated: ltl c
   Of three formulas the last is false after three steps; the states are too many for an hour. */
byte x;
active [6] proctype Wide() { byte n; do :: n < 99 -> n++ :: n > 0 -> n-- od }
active proctype P() { do :: x < 4 -> x++ :: x == 4 -> x = 0 od }
ltl a { [] (x < 5) }
ltl b { [] (x == 4 -> <> (x == 0 || x == 4)) }
ltl c { [] (x < 3) }
