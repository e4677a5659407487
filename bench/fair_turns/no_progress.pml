/* violated: np; options: --property safety --property non-progress
   A cycle without progress beside a huge graph. */
byte x;
active [6] proctype Wide() { byte n; do :: n < 99 -> progress_up: n++ :: n > 0 -> progress_down: n-- od }
active proctype P() { do :: x < 5 -> progress: x++ :: x == 5 -> x = x od }
