/* assert with and without parentheses.
 * expect: holds states=6 transitions=5
 */
byte x;

active proctype P(){
  assert x==0;
  assert(true);
  x=1;
  assert !(x==0)
}
