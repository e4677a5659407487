/* violated: safety
   One step stops all processes. */
bit stop;
active [6] proctype Wide() { byte n; do :: !stop && n < 99 -> n++ :: !stop && n > 0 -> n-- od }
active proctype Stop() { !stop -> stop = 1; false }
ltl p { [] (stop == 0 || stop == 1) }
