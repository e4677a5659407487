/* Jumps and breaks inside d_step.
 * expect: holds states=5 transitions=4
 */
byte x;

active proctype P(){
  d_step {
    x=3;
    L: if
    :: x>0 -> x--;
      goto L
    :: else -> skip
    fi;
    x=9
  };
  d_step {
    do
    :: x>5 -> x--;
      if
      :: x==7 -> break
      :: else
      fi
    :: else -> break
    od
  };
  x++
}
