/* SPIN 6 ends statements at line ends; `->` and operators continue a line.
 * expect: holds states=15 transitions=14
 */
byte x, y

active proctype p() {
  byte i
  i = 0
  do
  :: i < 2 ->
    x = x +
      1
    i++
  :: else
    break
  od
  if
  :: x == 2
  ->
    y = 1
  :: else
    skip
  fi
  {
    y = 2
  }
  unless
  {
    x == 9
  }
  y = 3
  d_step
  {
    y = 4
    x = 0
  }
}
