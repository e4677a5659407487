/* An unless on an atomic sequence in an option of a loop.
 * expect: holds states=23 transitions=37
 */
byte x;

active proctype P(){
  do
  :: atomic {
      x=1;
      x=2;
      x=3
    } unless {
      x==2 -> x=10
    }
  :: x>5 -> break
  od
}

active proctype Q(){
  x=2;
  x=7
}
