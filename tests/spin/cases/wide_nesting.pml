/* Selections in loops in selections with blocks, each with else.
 * expect: holds states=183 transitions=291
 */
byte a, b;

active proctype p() {
  if
  :: a == 0 ->
    do
    :: a < 3 ->
      if
      :: b == 0 -> b = 1
      :: b == 1 -> { b = 2; a++ }
      :: else -> if :: a == 1 -> b = 0 :: else -> a++; b = a % 2 fi
      fi
    :: else -> break
    od
  :: else -> b = 9
  fi;
  a = 0
}
active proctype q() {
  b = 0;
  a = 1
}
