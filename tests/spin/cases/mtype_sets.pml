/* Named mtype sets: numbering starts at 1 in each set, from the last name.
 * expect: holds states=31 transitions=47
 */
mtype = { red, green };
mtype:move = { stop, go, wait };
mtype:move m = go;
mtype colour = green;
chan c = [1] of { mtype:move, mtype };

active proctype light() {
  do
  :: m == go -> c!wait, red; m = stop
  :: m == stop -> c!go, green; m = wait
  :: m == wait -> break
  od;
  assert(red == 2 && green == 1 && stop == 3 && wait == 1)
}

active proctype car() {
  mtype:move what;
  end: do
  :: c?what, eval(colour) -> colour = red
  :: c?go, green
  :: c?what(red) -> colour = green
  od
}
