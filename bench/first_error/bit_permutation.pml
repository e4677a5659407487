/* violated: safety
   Nine guests sit down in any order; one of the orders makes two enemies neighbours with the host between. */
byte seat[9], sat;
short used;
active proctype Table() {
  byte g;
  do
  :: sat < 9 ->
       atomic { select(g : 0 .. 8); if :: ((used >> g) & 1) == 0 -> used = used | (1 << g); seat[sat] = g; sat++ :: else fi; g = 0 }
  :: sat == 9 -> break
  od;
  assert(!(seat[0] == 4 && seat[4] == 0 && seat[8] == 7))
}
