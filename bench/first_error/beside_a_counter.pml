/* violated: safety
   A robot walks to and fro beside a clock that runs for ever; its error is some hundred ticks away, but who follows
   the clock as far as it goes never comes back. */
int ticks; byte place;
active proctype robot() {
  do
  :: place < 20 -> place++
  :: place > 0 -> place--
  :: place == 7 && ticks == 500 -> assert(false)
  od
}
active proctype clock() { do :: ticks++ od }
