/* printm and %e.
 * expect: holds states=5 transitions=4
 */
mtype={one,two,three};
mtype m=two;

active proctype P(){
  printm(m);
  m = three;
  printf("%d %e\n", m, m)
}
