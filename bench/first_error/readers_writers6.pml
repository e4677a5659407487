/* violated: safety
   Readers count themselves without a lock, so that a writer may come in beside the last one. */
byte readers, writing;
bool room = true;
byte page;
active [6] proctype Reader() {
  byte seen, n;
  do
  :: n < 5 ->
       n = readers;
       readers = n + 1;
       if :: n == 0 -> atomic { room -> room = false } :: else fi;
       seen = page;
       assert(writing == 0);
       readers--;
       if :: readers == 0 -> room = true :: else fi
  od
}
active [2] proctype Writer() {
  do
  :: atomic { room -> room = false };
     writing++; page = (page + 1) % 4; writing--;
     room = true
  od
}
