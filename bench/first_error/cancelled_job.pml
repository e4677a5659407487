/* violated: safety
   A job that is cancelled by an exception keeps its lock. */
bit lock;
bool cancel;
byte jobs;
active [2] proctype Job() {
  byte n;
  do
  :: {
       atomic { lock == 0 -> lock = 1 };
       do :: n < 12 -> n++ :: n == 12 -> break od;
       lock = 0;
       n = 0
     } unless { cancel -> cancel = false; n = 0 }
  od
}
active proctype User() {
  do :: jobs < 10 -> jobs++; cancel = true; !cancel :: jobs == 10 -> break od
}
