/* violated: ltl again
   A token goes round six stations; one of them may drop it, and nobody makes a new one. */
#define N 6
chan link[N] = [1] of { bit };
byte owner;
proctype Station(byte me) {
  byte work;
  do
  :: link[me] ? 1 ->
       owner = me;
       do
       :: work < 3 -> work++
       :: break
       od;
       work = 0;
       if
       :: link[(me + 1) % N] ! 1
       :: me == 4 -> owner = 9
       fi
  od
}
init {
  byte i;
  atomic { for (i : 0 .. N - 1) { run Station(i) } }
  link[0] ! 1
}
ltl again { [] <> (owner == 3) }
