/* _last in an assignment.
 * expect: holds states=59 transitions=82
 */
byte x;

active [2] proctype P(){
  x++;
  x = _last;
  x++
}
