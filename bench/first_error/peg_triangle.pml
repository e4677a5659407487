/* violated: safety
   Solitaire on a line with branches: the last peg cannot move, which is the end of the game. */
bit p[15];
byte left = 14;
#define JUMP(a, b, c) p[a] && p[b] && !p[c] -> d_step { p[a] = 0; p[b] = 0; p[c] = 1; left--; }
init {
  byte i;
  d_step { i = 1; do :: i < 15 -> p[i] = 1; i++ :: else -> break od; i = 0 };
end: do
  :: JUMP(3, 1, 0) :: JUMP(5, 2, 0) :: JUMP(0, 1, 3) :: JUMP(0, 2, 5)
  :: JUMP(6, 3, 1) :: JUMP(8, 4, 1) :: JUMP(7, 4, 2) :: JUMP(9, 5, 2)
  :: JUMP(1, 3, 6) :: JUMP(1, 4, 8) :: JUMP(2, 4, 7) :: JUMP(2, 5, 9)
  :: JUMP(5, 4, 3) :: JUMP(3, 4, 5) :: JUMP(10, 6, 3) :: JUMP(12, 7, 3) :: JUMP(3, 6, 10) :: JUMP(3, 7, 12)
  :: JUMP(11, 7, 4) :: JUMP(13, 8, 4) :: JUMP(4, 7, 11) :: JUMP(4, 8, 13)
  :: JUMP(12, 8, 5) :: JUMP(14, 9, 5) :: JUMP(5, 8, 12) :: JUMP(5, 9, 14)
  :: JUMP(8, 7, 6) :: JUMP(6, 7, 8) :: JUMP(9, 8, 7) :: JUMP(7, 8, 9)
  :: JUMP(12, 11, 10) :: JUMP(10, 11, 12) :: JUMP(13, 12, 11) :: JUMP(11, 12, 13) :: JUMP(14, 13, 12) :: JUMP(12, 13, 14)
  :: left == 1 -> assert(false)
  od
}
