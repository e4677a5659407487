/* verdicts: safety holds; p violated; never_left violated; bounded holds
   The cycles that violate p begin after 40,000 steps. */
int n;
bit x, y;
active proctype Count() { do :: n < 40000 -> n++ :: n == 40000 -> x = 1; do :: x = 1 od od }
active proctype Other() { do :: n < 40000 -> y = 1 - y :: n == 40000 -> break od }
ltl p { [] (x -> <> !x) }
ltl never_left { [] (n < 40000) }
ltl bounded { [] (n <= 40000) }
