/* The same in a guard (random_diff 12257-d_step).
 * expect: states=11 transitions=13 assertions=0 errors=0
 */
chan q6 = [2] of { byte }
active proctype P0() {
  chan cv7 = q6;
  cv7!2
}
active proctype P1() {
  chan cv9 = q6;
  cv9!0
  chan cv10 = q6;
  do
  :: cv10??[2] != 2
  :: else break
  od
}
