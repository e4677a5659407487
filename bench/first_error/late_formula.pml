/* violated: ltl stays
   A controller is steady for 5,000 ticks; then it oscillates although the formula says that it settles. */
short tick;
bit on;
active proctype Controller() {
  do
  :: tick < 5000 -> tick++; if :: tick % 7 == 0 -> on = 1 :: else fi
  :: tick == 5000 -> on = 0; on = 1
  od
}
ltl stays { <> [] (on == 1) }
