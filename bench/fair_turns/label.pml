/* violated: ltl p
   A formula about the label of a process: it is reached after four steps. */
byte x;
active [6] proctype Wide() { byte n; do :: n < 99 -> n++ :: n > 0 -> n-- od }
active proctype P() { x = 1; x = 2; x = 3; critical: x = 4; x = 5 }
ltl ok { [] (x <= 5) }
ltl p { [] !(P@critical) }
