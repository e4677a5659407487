/* An end label on a loop inside an option of a loop.
 * expect: holds states=8 transitions=7
 */
byte x;

active proctype P(){
  do
  :: end: do
    :: x<3 -> x++
    :: x==3 -> break
    od;
    x==9
  :: x==5 -> break
  od
}
