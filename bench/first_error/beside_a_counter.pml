/* violated: safety
   A robot walks to and fro beside a clock; its error is some hundred ticks away, but who follows the clock as far as
   it goes comes back late. */
int ticks; byte place;
active proctype robot() {
  do
  :: place < 10 -> place++
  :: place > 0 -> place--
  :: place == 7 && ticks == 500 -> assert(false)
  od
}
active proctype clock() { do :: ticks < 300000 -> ticks++ od }
