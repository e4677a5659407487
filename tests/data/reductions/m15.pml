/* A loop of one location that takes from a channel by ?? and puts it back by !!. */
chan a = [2] of { byte };
byte g;
active proctype p() { a!1; do :: a??1 -> a!!1 od }
active proctype r() {
  if
  :: g = 1
  :: g = 2
  :: g = 3
  fi;
  assert(false)
}
