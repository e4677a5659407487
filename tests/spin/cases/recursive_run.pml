/* Processes that create processes, a tree of them.
 * expect: holds states=97098 transitions=434104
 */
byte n;

proctype C(byte d){
  n++;
  if
  :: d>0 -> run C(d-1);
    run C(d-1)
  :: else
  fi;
  n--
}

init {
  atomic {
    run C(2);
    n=1
  };
  n<2;
  n=7;
  (_nr_pr==1);
  n=8
}
