/* A hidden variable is read behind a statement that blocked: another process may have written it.
 * expect: incomplete states=14 transitions=39
 */
byte x, y;
hidden byte kept;

active proctype p() {
  do :: atomic { kept = x; y < 2 -> x = kept % 4; y++ } od
}

active proctype q() {
  do :: d_step { kept = 7; y = 0; x = 3 } :: d_step { kept = 8; x = 1 } od
}
