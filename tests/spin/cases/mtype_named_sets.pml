/* Variables and message fields of named mtype sets; printm.
 * expect: holds states=9 transitions=8
 */
mtype = {a,b};
mtype:fruit = {apple, pear};
mtype x = a;
mtype:fruit f = pear;
chan q=[1] of {mtype, mtype:fruit};

active proctype P(){
  mtype z;
  mtype:fruit y;
  q!a,apple;
  q?z,y;
  printm(z);
  printf("%e",z);
  if
  :: y==apple -> f = y
  :: else
  fi;
  x = z
}
