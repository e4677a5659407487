/* violated: safety
   Two counters walk in their ranges; the sum of the readings has a limit that only both together break. */
byte a, b, readings;
active proctype A() { byte n; do :: n < 200 -> n++ :: n > 0 -> n-- :: a = n; readings++; break od }
active proctype B() { byte n; do :: n < 200 -> n++ :: n > 0 -> n-- :: b = n; readings++; break od }
active proctype Check() { readings == 2; assert(a + b < 400) }
