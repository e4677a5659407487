/* accept, progress and end labels on jumps and loops, several on one statement.
 * expect: holds property=safety states=10 transitions=9
 * expect: holds property=accept
 * expect: holds property=non-progress
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
