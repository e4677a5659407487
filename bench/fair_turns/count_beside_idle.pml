/* violated: ltl p
   An integer counts for ever beside a process that only turns a bit. */
int n;
bit b;
active proctype Count() { do :: n < 2000000000 -> n++ od }
active proctype Idle() { do :: b = 1 - b od }
ltl p { <> (n > 9) }
