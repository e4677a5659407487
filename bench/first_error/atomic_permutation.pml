/* violated: safety
   Jobs with different lengths are dealt out in any order; the assertion says that no order is late. */
#define JOBS 8
byte length[JOBS];
byte order[JOBS], late;
init {
  byte i, j, t, clock;
  atomic {
    for (i : 0 .. JOBS - 1) { length[i] = 1 + (i * 5) % 7 }
    for (i : 0 .. JOBS - 1) { order[i] = i }
    for (i : 0 .. JOBS - 2) {
      select(j : i .. JOBS - 1);
      t = order[i]; order[i] = order[j]; order[j] = t
    }
  }
  for (i : 0 .. JOBS - 1) {
    clock = clock + length[order[i]];
    if :: clock > 3 * (order[i] + 2) -> late++ :: else fi
  }
  assert(late > 1)
}
