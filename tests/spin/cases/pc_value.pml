/* pc_value and enabled.
 * expect: holds states=290 transitions=449
 */
byte x;

active proctype P(){
  x++;
  x++;
  x++
}

active proctype Q(){
  do
  :: pc_value(0)==2 -> x = 9
  :: enabled(0) && x<20 -> x++
  :: !enabled(0) -> break
  od
}
