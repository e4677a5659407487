/* A selection over more than 33 values is a loop, a smaller one a choice; so it is with an underscore in the name.
 * expect: holds states=132 transitions=169
 */
byte x, y_1;

active proctype p() {
  select(x : 1 .. 34);
  x = x % 2;
  select(y_1 : 2 .. 4);
  select(x : 0 .. 1)
}
