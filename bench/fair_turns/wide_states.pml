/* violated: ltl p
   States of 4 KB; a formula is false after five steps. */
int a[1000];
byte x;
active [3] proctype Wide() { short i; do :: atomic { i < 999 -> a[i] = a[i] + 1; i++ } :: i > 0 -> i-- od }
active proctype P() { do :: x < 9 -> x++ :: x == 9 -> x = 0 od }
ltl ok { [] (x < 10) }
ltl p { [] (x < 5) }
