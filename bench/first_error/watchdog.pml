/* violated: safety
   A watchdog kicks in when nothing else can happen, also while a long computation is merely waiting. */
bool busy, restarted;
byte beats, work;
active proctype Watchdog() {
  do
  :: timeout -> assert(!busy); restarted = true; beats = 0; restarted = false
  od
}
active proctype Computer() {
  do
  :: beats < 60 -> beats++
  :: beats > 30 -> busy = true; work++; work > 5; busy = false; work = 0
  od
}
