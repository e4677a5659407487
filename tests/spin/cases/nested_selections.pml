/* Loops and selections as the first statements of options; break from both.
 * expect: holds states=11 transitions=11
 */
byte x;

active proctype P(){
  do
  :: do
    :: x<2 -> x++
    :: x==2 -> break
    od;
    x=5
  :: if
    :: x==5 -> x=0;
      break
    :: x==6 -> x=1
    fi;
    x++
  :: {
      x==1 -> x=6
    }
  :: atomic {
      x==0;
      x=7;
      x=0;
      x=2
    }
  od
}
