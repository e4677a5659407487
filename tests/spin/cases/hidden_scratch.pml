/* Hidden variables that are written before they are read in each step are scratch.
 * expect: holds states=32 transitions=224
 */
byte x, y;
hidden byte kept, turns, pair[2];

inline swap(a, b) {
  d_step { pair[0] = a; pair[1] = b; a = pair[1]; b = pair[0] }
}

active [2] proctype p() {
  do
  :: d_step { x < 4 -> turns = 0; kept = 1; do :: turns < x -> kept = kept + 2; turns++ :: else -> break od; x = kept % 5; kept = turns }
  :: swap(x, y)
  :: d_step { if :: x == 4 -> kept = 1 :: else -> kept = 2 fi; y = (y + kept) % 3 }
  od
}

active proctype overwrites() {
  do :: kept = x; pair[0] = y od
}
