/* Locations and local variables of other processes, with and without the process number.
 * expect: violated(end-state) states=218 transitions=354 errors=2
 */
byte x;

proctype worker(byte n) {
  byte local_count;
start:
  local_count = n;
  do
  :: local_count > 0 -> local_count--
  :: local_count == 0 -> break
  od;
finish:
  x++
}
init {
  pid a, b;
  a = run worker(2);
  b = run worker(1);
  worker[a]@finish;
  if
  :: worker[b]:local_count == 1 -> x = 10
  :: worker[b]@start -> x = 20
  :: else -> x = 30
  fi
}
