/* violated: safety
   A counter of four decimal digits. Each digit is a process that is told of a carry; the last one forgets to stop at 9. */
chan carry[5] = [0] of { bit };
byte digit[4];

proctype Digit(byte me) {
  do
  :: carry[me] ? 1 ->
       digit[me]++;
       if
       :: digit[me] == 10 && me < 3 -> digit[me] = 0; carry[me + 1] ! 1
       :: else
       fi;
       assert(digit[me] < 10)
  od
}

init {
  byte i;
  atomic { for (i : 0 .. 3) { run Digit(i) } }
  do :: carry[0] ! 1 od
}
