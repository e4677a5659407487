/* violated: safety
   A tank with a pump and a valve: the controller reads the level at every tick, and rounding drifts away slowly. */
mtype = { OFF, ON };
mtype pump = OFF;
short level = 50;
short drift;
byte phase;

active proctype Tank() {
  do
  :: atomic { phase == 0 ->
       if
       :: pump == ON -> level = level + 7
       :: else -> level = level - 5
       fi;
       drift++;
       phase = 1 }
  od
}

active proctype Controller() {
  short seen;
  do
  :: phase == 1 ->
       seen = level + drift / 40;
       if
       :: seen < 40 -> pump = ON
       :: seen > 60 -> pump = OFF
       :: else
       fi;
       assert(level > 0 && level < 100);
       phase = 0
  od
}
