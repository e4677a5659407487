/* skip, true and (1) as steps, prints between them, empty loops with a timeout.
 * expect: holds states=32 transitions=39
 */
byte x;

active proctype p() {
  skip; true; 1; (1);
  printf("here");
  do
  :: x < 2 -> skip; x++
  :: true -> break
  od;
  if :: 1 -> skip :: skip :: true -> x = 5 fi
}
active proctype q() {
  timeout;
  x = 1
}
