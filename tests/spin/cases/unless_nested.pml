/* An unless inside the main sequence of another one.
 * expect: holds states=588 transitions=1104
 */
byte x;

active proctype P(){
  {
    {
      x=1;
      x=2;
      x=3
    } unless {
      x==2 -> x=10
    } ;
    x = 20
  } unless {
    x==3 -> x=30
  };
  x++
}

active proctype Q(){
  do
  :: x<40 -> x++
  :: x>=40 -> break
  od
}
