/* A label before an atomic sequence with an unless.
 * expect: holds states=26 transitions=36
 */
byte x;

active proctype P(){
  L: atomic {
    x=1;
    x=2;
    x=3
  } unless {
    x==2 -> x=10
  };
  if
  :: x<5 -> goto L
  :: else
  fi
}

active proctype Q(){
  x=2;
  x=7
}
