/* An array of rendezvous channels with a bool field, received by variable and by eval.
 * expect: violated(end-state) states=3285 transitions=4795 errors=1
 */
chan c[2]=[0] of {byte,bool};
byte x;

active proctype P(){
  byte i;
  do
  :: c[i]!i,true;
    i = 1-i
  :: x>4 -> break
  od
}

active proctype Q(){
  byte v;
  bool b;
  do
  :: c[0]?v,b -> x++
  :: c[1]?eval(1),b -> x++
  :: x>4 -> break
  od
}
