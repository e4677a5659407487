/* Guards that are blocks, inlines, loops, assignments and prints.
 * expect: holds states=17 transitions=21
 */
byte x;

inline ready() { x < 2; x++ }

active proctype p() {
  do
  :: { x == 0; x = 1 }
  :: ready()
  :: do :: x == 2 -> x = 3 :: x == 3 -> x = 4; break od; x++
  :: printf("x is %d\n", x) -> x = 5
  :: x == 5 -> break
  od
}
