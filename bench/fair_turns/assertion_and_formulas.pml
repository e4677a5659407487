/* violated: safety
   An assertion fails in a process created after three others, beside four formulas. */
byte x;
proctype Wide2() { byte n; do :: n < 99 -> n++ :: n > 0 -> n-- od }
proctype Fails() { assert(x < 2) }
init { run Wide2(); run Wide2(); run Wide2(); x = 1; x = 2; run Fails() }
ltl p1 { [] (x < 3) }
ltl p2 { [] (x < 4) }
ltl p3 { [] (x < 5) }
ltl p4 { [] (x < 6) }
