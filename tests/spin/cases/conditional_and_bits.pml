/* Conditional expressions, nested, and bit operators.
 * expect: holds states=10 transitions=9
 */
byte x;

active proctype P(){
  byte y;
  x = (y==0 -> 3 : 4);
  y = (x>2 && (x<9 -> 1 : 0) -> 7 : 8);
  x = -x + ~y;
  x = x ^ 3 | 4 & 6;
  x = x << 2 >> 1;
  x = 7 % 4 * 2 - 1;
  x = !x;
  x = - - 3
}
