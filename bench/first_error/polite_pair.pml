/* violated: np
   Two who meet in a corridor step aside for each other, again and again. */
byte side[2];
byte passed, steps;
active [2] proctype Walker() {
  do
  :: side[_pid] == side[1 - _pid] -> side[_pid] = 1 - side[_pid]; steps = (steps + 1) % 100
  :: side[_pid] != side[1 - _pid] -> break
  od;
progress:
  passed++
}
