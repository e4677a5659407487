/* violated: ltl p
   An integer counts for ever; that it is ever above 9 is false if it never starts. */
int n;
active proctype Count() { do :: n < 2000000000 -> n++ :: n = n od }
ltl p { <> (n > 9) }
