/*
 * Readers and writers: does a writer that waits get in at last?
 *
 * Shows: starvation that no weakly fair scheduler prevents. The first solution of Courtois, Heymans and Parnas (1971)
 * lets a reader in whenever another one reads. Two readers that relieve each other keep the writer out for ever: it
 * can move only while nobody reads. With TURN a reader does not overtake a writer that waits.
 *
 * Options: -DTURN  readers wait behind a writer
 * Properties: exclusion (holds), writes (holds only with TURN).
 *
 * expect: holds property=safety
 * expect: holds property=exclusion
 * expect: violated(acceptance-cycle) property=writes
 * expect: violated(acceptance-cycle) property=writes fairness=weak
 * expect: holds property=writes with -DTURN
 */
byte reading;
bool writing, waiting;

#ifdef TURN
#define MAY_READ (!writing && !waiting)
#else
#define MAY_READ (!writing)
#endif

active [2] proctype reader() {
  do
  :: atomic { MAY_READ -> reading++ };
     reading--
  od
}

active proctype writer() {
  do
  :: waiting = true;
     atomic { reading == 0 -> writing = true };
     waiting = false;
     writing = false
  od
}

ltl exclusion { [] !(writing && reading > 0) }
ltl writes    { [] (waiting -> <> writing) }
