/* violated: safety
   A sensor node: work and sleep drain its battery, the sun charges it. When it is empty, nothing can be done. */
int charge = 3000;
byte mode, day;
active proctype Node() {
  do
  :: mode == 0 && charge >= 2 -> charge = charge - 2; mode = 1
  :: mode == 1 && charge >= 5 -> charge = charge - 5; mode = 2
  :: mode == 2 && charge >= 1 -> charge = charge - 1; mode = 0
  :: mode == 2 && charge >= 3 -> charge = charge - 3; mode = 1
  od
}
