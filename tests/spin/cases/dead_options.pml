/* Options that are constantly false; a loop without an executable option.
 * expect: violated(end-state) states=3 transitions=2 errors=1
 */
byte x;

active proctype P(){
  if
  :: false -> x=1
  :: 0 -> x=2
  :: x==0 -> x=3
  fi;
  do
  :: false
  od
}
