/* All operators, their precedence and C's rules for signs.
 * expect: holds states=26 transitions=25
 */
int x = 13, y = -4, z;

active proctype p() {
  z = x / y; assert(z == -3);
  z = x % y; assert(z == 1);
  z = -x % 5; assert(z == -3);
  z = x << 2 >> 1; assert(z == 26);
  z = y >> 1; assert(z == -2);
  z = x & 6 | 1 ^ 3; assert(z == 6);
  z = ~x; assert(z == -14);
  z = !x + !(!x); assert(z == 1);
  z = 1 + 2 * 3 - 4 / 2; assert(z == 5);
  z = 1 < 2 == 1; assert(z == 1);
  z = x > 3 && y < 0 || 0; assert(z == 1);
  z = - - x; assert(z == 13)
}
