/* violated: safety
   A process is stuck before its end when all others are done. */
byte done;
active [7] proctype Worker() { byte n; do :: n < 60 -> n++ :: n > 0 -> break od; done++ }
active proctype Waits() { done > 7 -> skip }
ltl p { [] (done <= 7) }
