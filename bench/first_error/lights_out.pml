/* violated: safety
   A board of four by four lamps; a press turns a lamp and its neighbours. Is the dark board reachable? */
bit lamp[16];
byte lit = 9;
inline turn(i) { lamp[i] = 1 - lamp[i]; lit = (lamp[i] -> lit + 1 : lit - 1) }
init {
  byte p;
  atomic { lamp[0] = 1; lamp[1] = 1; lamp[2] = 1; lamp[4] = 1; lamp[6] = 1; lamp[8] = 1; lamp[9] = 1; lamp[11] = 1; lamp[14] = 1 }
  do
  :: select(p : 0 .. 15);
     d_step {
       turn(p);
       if :: p % 4 > 0 -> turn(p - 1) :: else fi;
       if :: p % 4 < 3 -> turn(p + 1) :: else fi;
       if :: p > 3 -> turn(p - 4) :: else fi;
       if :: p < 12 -> turn(p + 4) :: else fi
     };
     assert(lit > 0)
  od
}
