/* violated: safety
   Sleep and wakeup: a consumer looks whether there is something, is interrupted, and sleeps through the signal. */
byte items;
bool asleep, signal;
active [2] proctype Producer() {
  byte n;
  do
  :: n < 20 -> atomic { items < 4 -> items++ }; n++; if :: asleep -> signal = true :: else fi
  :: n == 20 -> break
  od
}
active proctype Consumer() {
  byte n;
  do
  :: n == 40 -> break
  :: n < 40 ->
       if
       :: items == 0 -> asleep = true; signal; atomic { signal = false; asleep = false }
       :: items > 0 -> items--; n++
       fi
  od
}
