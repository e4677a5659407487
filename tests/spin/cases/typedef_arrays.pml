/* Arrays of structures with arrays, indices that are elements, nested twice.
 * expect: holds states=111 transitions=200
 */
typedef Row { byte cell[2] }
typedef Board { Row row[2]; byte n }
Board board[2];

active [2] proctype p() {
  byte i;
  do
  :: i < 2 ->
    board[_pid].row[i].cell[board[_pid].n] = i + 1;
    i++
  :: i == 2 -> break
  od;
  board[_pid].n++;
  board[1 - _pid].row[board[_pid].n].cell[1] = 7
}
