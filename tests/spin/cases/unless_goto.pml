/* An escape that jumps out of a loop; a jump to the loop itself inside.
 * expect: holds states=19 transitions=26
 */
byte x;

active proctype P(){
  S: do
  :: x<4 -> x++;
    goto S
  od unless {
    x==2 -> goto T
  };
  T: x=8
}

active proctype Q(){
  x=2
}
