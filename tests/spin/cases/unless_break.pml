/* An escape that breaks out of the outer loop.
 * expect: holds states=37 transitions=55
 */
byte x;

active proctype P(){
  do
  :: do
    :: x<5 -> x++
    od unless {
      x==3 -> break
    } ;
    x++
  od;
  x = 50
}

active proctype Q(){
  x = 3;
  x=1
}
