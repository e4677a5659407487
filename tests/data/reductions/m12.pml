/* Handshakes in loops with goto into the loop. */
chan a = [0] of { byte };
byte g;
active proctype p() {
  goto in;
  do
  :: a!0; in: a!1
  od
}
active proctype q() { byte x; in: if :: a?x -> goto in :: a?1 -> goto on fi; on: a?x; goto in }
active proctype r() {
  if
  :: g = 1
  :: g = 2
  :: g = 3
  fi;
  assert(false)
}
