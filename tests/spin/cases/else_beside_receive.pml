/* else beside a receive.
 * expect: holds states=3 transitions=2
 */
chan q=[1] of {byte};
byte x;

active proctype P(){
  do
  :: q?x -> skip
  :: else -> break
  od
}
