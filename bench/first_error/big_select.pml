/* violated: safety
   A user types a code of four digits; the right one opens the door although it is locked. */
byte code[4];
bit locked = 1;
active proctype User() {
  byte d, i;
  do
  :: atomic {
       i = 0;
       do
       :: i < 4 -> select(d : 0 .. 9); code[i] = d; i++
       :: else -> break
       od;
       assert(!(locked && code[0] == 7 && code[1] == 3 && code[2] == 5 && code[3] == 1));
       i = 0; d = 0
     };
     d_step { code[0] = 0; code[1] = 0; code[2] = 0; code[3] = 0 }
  od
}
