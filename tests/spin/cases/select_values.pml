/* `select` of constants and of expressions.
 * expect: holds states=444 transitions=785
 */
byte x, y;
int lo = -1;

active proctype p() {
  select(x : 3 .. 5);
  select(y : x .. 6);
  short s;
  select(s : lo .. 1);
  assert(s >= -1 && s <= 1);
  y = s + 2
}
active proctype q() {
  lo = 0
}
