/* skip, true and 1 as steps.
 * expect: violated(end-state) states=26 transitions=25 errors=1
 */
byte x;

active proctype P(){
  do
  :: skip;
    skip;
    skip;
    x++ ;
    skip;
    true;
    1;
    x<5
  :: x>=3 -> skip;
    skip;
    skip;
    break
  od
}
