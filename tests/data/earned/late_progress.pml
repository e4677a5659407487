/* verdicts: safety holds; non-progress violated
   Only with b == 240 there is a cycle without progress. */
byte a, b;
active proctype A() { do :: a < 240 -> progress_up: a++ :: a == 240 -> progress_down: a = 0 :: b == 240 -> a = a od }
active proctype B() { do :: b < 240 -> progress_b: b++ od }
