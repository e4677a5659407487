/* A counter that is limited in one loop and goes on in the other one until it wraps around, thanks to a second process. */
chan d = [1] of { bit };
chan c = [3] of { bit };
byte g;
active proctype p() {
  unsigned i : 2;
  do
  :: i <= 0 -> i = i + 1; d!1
  :: c?_ -> i = i + 1
  od
}
active proctype r() { do :: d?_ -> c!1; c!1; c!1 od }
active proctype s() {
  if
  :: g = 1
  :: g = 2
  :: g = 3
  fi;
  assert(false)
}
