/* violated: ltl p
   A request that is never answered in one loop. */
bit ask, answer;
active [6] proctype Wide() { byte n; do :: n < 99 -> n++ :: n > 0 -> n-- od }
active proctype Client() { do :: ask == 0 -> ask = 1 :: answer == 1 -> answer = 0; ask = 0 od }
active proctype Server() { do :: ask == 1 && answer == 0 -> answer = 1 :: true -> skip od }
ltl p { [] (ask == 1 -> <> (ask == 0)) }
