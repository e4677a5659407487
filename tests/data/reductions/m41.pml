/* A local that is reset where it is dead: some states of a cycle rule out ways that others do not. */
byte g;
active proctype p() {
  byte x, y;
  do
  :: x = 5;
     if
     :: x == 5 ->
        y = 1;
        F1: y = 3;
        F2: y = 4
     :: x == 0 -> goto F1
     :: x == 1 -> goto F2
     fi
  od
}
active proctype s() {
  if
  :: g = 1
  :: g = 2
  :: g = 3
  fi;
  assert(false)
}
