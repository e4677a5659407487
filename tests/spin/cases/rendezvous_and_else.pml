/* else beside a rendezvous send; an unless on a receive.
 * expect: violated(end-state) states=51 transitions=64 errors=4
 */
chan r=[0] of {byte};
byte x;

active proctype P(){
  do
  :: r!1 -> x++
  :: else -> x<4;
    x=x+2
  :: x>6 -> break
  od
}

active proctype Q(){
  byte k;
  x==2;
  r?k;
  x=7;
  r?1 unless {
    x==8 -> x = 9
  }
}
