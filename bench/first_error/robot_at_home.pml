/* violated: ltl returns
   A robot may stay away from home for ever, beside a clock that never stops: who follows the clock as far as it goes
   does not come back to the robot. */
int ticks; byte place;
active proctype robot() {
  do
  :: place < 20 -> place++
  :: place > 0 -> place--
  :: ticks < 0 -> place = 0
  od
}
active proctype clock() { do :: ticks++ od }
ltl returns { []<> (place == 0) }
