/* Block scopes: the same name in two blocks, declarations in the middle.
 * expect: holds states=280 transitions=433
 */
byte g;

active [2] proctype p() {
  { byte t = 1; g = g + t };
  { byte t = 2; g = g + t; { byte u = t + 1; g = u } };
  byte t = g;
  g = t * 2
}
