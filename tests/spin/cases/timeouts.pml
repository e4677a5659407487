/* timeout alone, in a condition and inside atomic.
 * expect: holds states=40 transitions=41
 */
chan q=[1] of {byte};
byte x;

active proctype P(){
  do
  :: q?_ -> x=0
  :: timeout -> x++;
    if
    :: x>2 -> break
    :: else
    fi
  od
}

active proctype Q(){
  q!1;
  (timeout && x>1) -> q!2;
  atomic {
    timeout -> x=9
  }
}
