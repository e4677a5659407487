/* Steps that do nothing: skip, prints, redundant skips before joins. */
mtype = { a };
byte x;

active proctype P() {
  skip;
  printf("x %d\n", x);
  if
  :: x == 1 -> skip
  :: skip; skip
  :: printf("b")
  fi;
  printm(a);
  true;
  assert(x < 3)
}
