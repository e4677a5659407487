/* break in options of selections, behind other statements, as a guard and in nested loops.
 * expect: holds states=22 transitions=30
 */
byte x;

active proctype p() {
  do
  :: if :: x == 3 -> break :: x != 3 -> x++ fi
  :: break
  :: x == 2 -> do :: break od; x = 7; break
  :: else -> break
  od;
  do
  :: { x++; break }
  :: atomic { x > 0; x = 0; break }
  od;
  x = 1
}
