/* Jumps are no second choice of a D_proctype (random_diff 71-deterministic).
 * expect: states=3 transitions=3 assertions=0 errors=0
 */
active D_proctype P0() { do :: break :: break od }
