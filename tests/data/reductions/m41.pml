/* A local that is reset where it is dead: some states of a cycle rule out ways that others do not. */
byte g;
active proctype p() {
  byte x, y;
  do
  :: x = 5;
     again:
     if
     :: x == 5 ->
        y = 1;
        y = 3
     :: x == 0 -> y = 2; goto again
     :: x == 1 -> y = 2; goto again
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
