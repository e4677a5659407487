/* violated: ltl soon
   Two counters make many states; a formula about the first tick is wrong at once. */
byte a, b, c;
bit ready;
active proctype A() { do :: a = (a + 1) % 100 od }
active proctype B() { do :: b = (b + 1) % 100 od }
active proctype C() { do :: c < 5 -> c++ :: c == 5 -> ready = 1; c = 0 od }
ltl never_high { [] (a < 100) }
ltl soon { [] (ready == 0) }
