/* A label may have the name of one around the call of its inline: SPIN tells them apart by the inline. A jump from either
 * of the two texts leads to the one that was read last.
 * expect: holds states=97 transitions=96
 */
byte x;

inline inner() {
  skip;
again:
  x = x + 5;
  if
  :: x < 19 -> goto again
  :: else
  fi
}

inline outer() {
  skip;
again:
  x = x + 2;
  inner();
  if
  :: x < 40 -> goto again
  :: else
  fi
}

active proctype p() {
again:
  do
  :: x < 60 -> x++; outer()
  :: else -> break
  od;
end: x++;
  if
  :: x < 80 -> goto end
  :: else
  fi
}
