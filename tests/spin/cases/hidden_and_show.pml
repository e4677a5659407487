/* hidden variables are no part of the state; show and local change nothing.
 * expect: incomplete states=43 transitions=66
 */
hidden byte scratch;
show byte x;
local short y;

active [2] proctype p() {
  show byte k;
  scratch = x;
  k = scratch;
  x = k + 1;
  y = x
}
