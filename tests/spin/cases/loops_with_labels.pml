/* Nested loops with labels; break and goto out of the inner one.
 * expect: holds states=43 transitions=45
 */
byte x;

active proctype P(){
  outer: do
  :: x<9 -> inner: do
    :: x<9 -> x++;
      if
      :: x%2==0 -> break
      :: else -> goto outer
      fi
    :: x>5 -> goto fin
    od
  :: x>=9 -> break
  od;
  fin: x=0
}
