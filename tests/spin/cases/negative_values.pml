/* Negative initial values, unary minus behind operators, numbers as guards.
 * expect: holds states=7 transitions=6
 */
int x = -5;
byte y = 3 - 1;
short z[2] = -1;

active proctype P(){
  x = -x*-2;
  x = x - -1;
  y = !y;
  if
  :: x -> y=4
  :: !x -> y=5
  fi
}
