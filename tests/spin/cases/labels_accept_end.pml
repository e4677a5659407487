/* accept, progress and end labels on jumps and loops, several on one statement.
 * expect: incomplete states=10 transitions=9
 */
byte x;

active proctype P(){
  accept: goto L;
  L: progress: do
  :: x<3 -> x++
  :: else -> goto accept2
  od;
  accept2: goto E;
  E: end1: x==9
}
