/* d_step inside atomic, with a selection; a loop in a d_step.
 * expect: holds states=16 transitions=22
 */
byte x;

active [2] proctype P(){
  atomic {
    x++;
    d_step {
      x++;
      if
      :: x>3 -> x=0
      :: else -> x++
      fi;
      x++
    };
    x--
  };
  d_step {
    do
    :: x>0 -> x--
    :: x==0 -> break
    od;
    x = 2
  }
}
