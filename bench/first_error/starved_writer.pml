/* violated: ltl served
   Readers come and go for ever, and a writer that waits is never let in. */
byte readers;
bool waits, writes;
active [3] proctype Reader() {
  do
  :: atomic { !writes -> readers++ };
     readers--
  od
}
active proctype Writer() {
  do
  :: waits = true;
     atomic { readers == 0 -> writes = true; waits = false };
     writes = false
  od
}
ltl served { [] (waits -> <> writes) }
