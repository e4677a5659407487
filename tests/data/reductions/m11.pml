/* Ring of rendezvous that goes round for ever beside a failing assertion. */
chan a = [0] of { byte };
chan b = [0] of { byte };
byte g;
active proctype p() { do :: a!1 -> b?_ od }
active proctype q() { do :: a?_ -> b!2 od }
active proctype r() {
  if
  :: g = 1
  :: g = 2
  :: g = 3
  fi;
  assert(false)
}
