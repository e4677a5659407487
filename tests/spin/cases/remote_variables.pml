/* Remote references to a local variable and to a parameter.
 * expect: violated(end-state) states=16 transitions=16 errors=3
 */
byte x;

proctype P(byte z){
  byte y;
  y = 1;
  x = 1;
  y = 2
}

init {
  pid p;
  p = run P(5);
  P[p]:y == 2;
  x = P[p]:z;
  (P:y == 2) ;
  x = 9
}
