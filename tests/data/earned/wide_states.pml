/* verdicts: safety violated; p violated; p (weak) violated
   A state has 80 KB. */
int a[20000];
short i;
active [2] proctype P() { do :: atomic { i < 19999 -> i++; a[i] = i } :: atomic { i > 0 -> a[i] = 0; i-- } od }
active proctype Q() { do :: i == 400 -> assert(a[5] == 0) od }
ltl p { <> (i == 20000) }
