/* violated: ltl p
   Accept labels that no cycle passes, and a formula that is false at once. */
byte x;
active [6] proctype Wide() { byte n; do :: n < 99 -> n++ :: n > 0 -> n-- od }
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> break od; accept_end: x = 4; x = 5; x = 4 }
ltl p { [] (x < 3) }
