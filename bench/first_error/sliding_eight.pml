/* violated: safety
   A sliding puzzle of three by three: the gap comes to the middle below a finished row. */
byte t[9];
byte gap = 8;
#define MOVE(to) t[gap] = t[to]; t[to] = 0; gap = to
init {
  d_step { t[0] = 8; t[1] = 1; t[2] = 3; t[3] = 4; t[4] = 0; t[5] = 2; t[6] = 7; t[7] = 6; t[8] = 5; gap = 4 };
  do
  :: gap > 2 -> d_step { MOVE(gap - 3) }
  :: gap < 6 -> d_step { MOVE(gap + 3) }
  :: gap % 3 > 0 -> d_step { MOVE(gap - 1) }
  :: gap % 3 < 2 -> d_step { MOVE(gap + 1) }
  :: t[0] == 1 && t[1] == 2 && t[2] == 3 && t[3] == 8 && t[4] == 0 ->
       assert(false)
  od
}
