/* A selection as the first statement of an option of a loop, three deep, with else.
 * expect: violated(end-state) states=31 transitions=50 errors=1
 */
byte x;

active proctype p() {
  do
  :: if
     :: x == 0 -> x = 1
     :: do
        :: x == 1 -> x = 2
        :: x == 2 -> if :: x = 3 :: x = 4 fi
        :: x >= 3 -> break
        od
     :: x == 9 -> break
     fi
  :: x == 4 -> break
  :: else -> x = 9
  od
}
active proctype q() {
  x == 2 -> x = 4
}
