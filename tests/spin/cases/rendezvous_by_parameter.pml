/* An array of rendezvous channels, the index from a parameter; unless timeout.
 * expect: holds states=31 transitions=49
 */
mtype={m1,m2};
chan c[3]=[0] of {mtype,byte};

proctype S(byte id){
  c[id]!m1(id);
  c[(id+1)%3]?m2,_
}

proctype T(byte id){
  byte z;
  c[id]?m1(z);
  c[id]!m2(z) unless {
    timeout
  }
}

init {
  atomic {
    byte i=0;
    do
    :: i<3 -> run S(i);
      run T(i);
      i++
    :: i>=3 -> break
    od
  }
}
