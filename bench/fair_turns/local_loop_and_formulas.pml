/* violated: ltl q
   The same loop with three properties, of which one is false after 11 steps. */
byte g, x;
active proctype P() { short n = 16000; do :: n < 32000 -> n++ :: n > 0 -> n-- :: g = 1 - g od }
active proctype Q() { do :: x < 40 -> x++ :: x == 40 -> x = 0 od }
ltl p { [] (g < 2) }
ltl q { [] (x < 11) }
