/* Options that end with a separator.
 * expect: holds states=4 transitions=3
 */
byte x;

active proctype P(){
  if
  :: x==0;
  :: x==1 ->
  fi;
  x=1
}
