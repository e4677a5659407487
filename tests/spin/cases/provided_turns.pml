/* `provided` clauses over globals and _pid make two processes take turns.
 * expect: holds states=13 transitions=12
 */
byte turn;
byte x;

active proctype a() provided (turn == 0) {
  do
  :: x < 4 -> x++; turn = 1
  :: x >= 4 -> turn = 1; break
  od
}
active proctype b() provided (turn == _pid) {
  do
  :: atomic { x < 4 -> x++; turn = 0 }
  :: x >= 4 -> turn = 0; break
  od
}
