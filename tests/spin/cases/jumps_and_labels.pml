/* Jumps as options of a selection; several labels on one skip.
 * expect: holds states=10 transitions=10
 */
byte x;

active proctype P(){
  goto B;
  A: x=1;
  goto C;
  B: x=2;
  if
  :: goto A
  :: x==2 -> x=3;
    goto C
  fi;
  C: D: E: skip;
  x=4
}
