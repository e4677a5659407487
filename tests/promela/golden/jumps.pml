/* goto to labels before if, do, skip, goto and the end; break as an option. */
byte x;

active proctype P() {
a:
  x++;
  goto c;
b:
  if
  :: x < 3 -> goto a
  :: goto d
  fi;
c: cc:
  do
  :: x > 2 -> goto b
  :: break
  od;
accept_d: d:
  goto e;
e:
  skip;
end_f:
  skip
}
