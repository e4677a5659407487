/* violated: safety
   A counter walks up and down and may be read at any time; nobody thought of its highest value. */
short level;
short reading;
active proctype Walk() {
  do
  :: level < 30000 -> level++
  :: level > 0 -> level--
  :: reading = level; break
  od;
  assert(reading < 30000)
}
