/* violated: claim
   A never claim accepts a run that stays where it is, beside a huge graph. */
byte x;
active [6] proctype Wide() { byte n; do :: n < 99 -> n++ :: n > 0 -> n-- od }
active proctype P() { do :: x < 9 -> x++ :: x == 9 -> skip od }
never { do :: true :: x == 9 -> goto accept od; accept: do :: x == 9 od }
