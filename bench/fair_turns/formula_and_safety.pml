/* violated: ltl p
   One false formula beside a huge safety graph. */
byte x;
active [6] proctype Wide() { byte n; do :: n < 99 -> n++ :: n > 0 -> n-- od }
active proctype P() { do :: x < 200 -> x++ :: x == 200 -> x = 0 od }
ltl p { [] (x < 5) }
