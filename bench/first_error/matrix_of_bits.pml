/* violated: safety
   A board of 4 x 4 lamps is set inside one atomic sequence of nested loops; the claim that rows and columns never agree is wrong. */
#define N 4
bit lamp[16];
active proctype Board() {
  byte i, j, same;
  do
  :: atomic {
       for (i : 0 .. N - 1) {
         for (j : 0 .. N - 1) {
           if :: lamp[i * N + j] = 1 :: lamp[i * N + j] = 0 fi
         }
       };
       same = 0;
       for (i : 0 .. N - 1) {
         for (j : 0 .. N - 1) {
           if :: lamp[i * N + j] == lamp[j * N + i] -> same++ :: else fi
         }
       };
       i = 0; j = 0
     };
     assert(same != 4);
     same = 0
  od
}
