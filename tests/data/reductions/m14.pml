/* A loop that sends and receives inside d_step. */
chan a = [2] of { byte };
byte g;
active proctype p() { byte x; do :: d_step { a!1; x = 0 } ; d_step { a?x; x = 0 } od }
active proctype r() {
  if
  :: g = 1
  :: g = 2
  :: g = 3
  fi;
  assert(false)
}
