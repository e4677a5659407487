/* violated: safety
   An assertion fails after six steps; the formula has a huge product. */
byte x;
active [6] proctype Wide() { byte n; do :: n < 99 -> n++ :: n > 0 -> n-- od }
active proctype P() { do :: x < 200 -> x++; assert(x != 6) :: x == 200 -> x = 0 od }
ltl p { [] (x <= 200) }
