/* violated: safety
   Six workers count far; the bookkeeper's first check is wrong already. */
byte count[6];
byte total;
active [6] proctype Worker() {
  byte me = _pid;
  do
  :: count[me] < 40 -> count[me]++; total++
  :: count[me] > 0 -> count[me]--; total--
  od
}
active proctype Bookkeeper() {
  do
  :: assert(total == count[0] + count[1] + count[2] + count[3] + count[4] + count[5])
  od
}
