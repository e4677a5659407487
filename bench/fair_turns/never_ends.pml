/* violated: claim
   A never claim ends after five steps of one process. */
byte x;
active [6] proctype Wide() { byte n; do :: n < 99 -> n++ :: n > 0 -> n-- od }
active proctype P() { do :: x < 200 -> x++ :: x > 100 -> x = 0 od }
never { do :: x < 5 :: x == 5 -> break od }
