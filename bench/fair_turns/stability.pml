/* violated: ltl b
   Formulas about what is so in the end. */
byte x;
active [6] proctype Wide() { byte n; do :: n < 99 -> n++ :: n > 0 -> n-- od }
active proctype P() { do :: x < 7 -> x++ :: x == 7 -> x = 6 od }
ltl a { <> [] (x <= 7) }
ltl b { <> [] (x == 7) }
