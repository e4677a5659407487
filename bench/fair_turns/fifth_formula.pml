/* violated: ltl e
   Of five formulas the last is false after 11 steps. */
byte x, y;
active [6] proctype Wide() { byte n; do :: n < 99 -> n++ :: n > 0 -> n-- od }
active proctype P() { do :: x < 11 -> x++ :: x == 11 -> x = 0; y++ od }
ltl a { [] (x < 12) }
ltl b { [] <> (x < 12) }
ltl c { [] (y <= 255) }
ltl d { <> (x <= 11) }
ltl e { [] (x < 11) }
