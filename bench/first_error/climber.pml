/* violated: safety
   A climber goes up and may fall back a little; at the top there is no step left to be taken. */
short height;
byte rests;
active proctype Climber() {
  do
  :: height < 2000 -> height++
  :: height > 3 && height < 2000 && rests < 20 -> height = height - 3; rests++
  od
}
active proctype Watcher() {
  do
  :: height > 500 && height < 600 && rests > 0 -> rests--
  :: height == 2000 -> break
  od
}
