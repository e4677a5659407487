/* violated: ltl closed
   A door stays closed until its code was typed; a master key opens it, too. */
byte typed, tries;
bool open;
active proctype Keypad() {
  byte key;
  do
  :: tries < 50 ->
       select(key : 0 .. 9);
       tries++;
       if
       :: key == (typed * 3 + 1) % 10 -> typed++
       :: else -> typed = 0
       fi;
       if :: typed == 4 -> open = true; break :: else fi
  :: tries == 50 -> open = true; break
  od
}
ltl closed { !open U (typed == 4) }
