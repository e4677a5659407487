/* A label before a for loop, as the target of a jump.
 * expect: holds states=12 transitions=12
 */
byte n;

active proctype P(){
  byte i;
  L: for (i : 1..3) {
    n++
  } if
  :: n<9 -> goto L
  :: else
  fi;
  assert(n<20)
}
