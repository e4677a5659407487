/* provided clauses over a global and _pid; a timeout that they decide.
 * expect: violated(end-state) states=40 transitions=50 errors=1
 */
byte x;

active proctype P() provided (x<3) {
  x++;
  x++;
  x++;
  x++;
  x++
}

active proctype Q() provided (x>1 || _pid==1) {
  x--;
  x--;
  x++ ;
  timeout;
  x=0
}
