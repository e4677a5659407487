/* A selection with a blocking else branch inside atomic.
 * expect: holds states=7 transitions=8
 */
byte x;

active [2] proctype P(){
  atomic {
    if
    :: x==0 -> x=1
    :: else -> x==2;
      x=3
    fi;
    x++
  }
}
