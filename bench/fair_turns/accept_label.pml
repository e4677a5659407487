/* violated: accept
   A cycle through an accept label, three steps from the start. */
byte x;
active [6] proctype Wide() { byte n; do :: n < 99 -> n++ :: n > 0 -> n-- od }
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> accept_here: x = x od }
