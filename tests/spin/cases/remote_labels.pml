/* Remote references to labels, on jumps too, with and without process number.
 * expect: violated(end-state) states=30 transitions=41 errors=2
 */
byte x;

active proctype P(){
  do
  :: x<3 -> x++;
    L: goto M
  :: else -> break
  od;
  M: x = 0;
  E: skip
}

active proctype Q(){
  do
  :: P@L -> x=2
  :: P@E -> break
  :: P[0]@M -> break
  od
}
