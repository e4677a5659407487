/* violated: safety
   A controller counts ticks and alarms; after 60,000 ticks the watchdog and the alarm fall together. */
int tick;
byte phase, alarm;
active proctype Clock() {
  do
  :: tick < 60000 -> tick++; phase = (phase + 1) % 7; if :: phase == 3 -> alarm = (alarm + 1) % 11 :: else fi
  :: tick == 60000 -> break
  od
}
active proctype Watch() {
  do
  :: tick == 60000 && alarm == 1 -> assert(phase != 3 && false); break
  :: alarm == 10 -> alarm = 0
  :: tick == 60000 -> break
  od
}
