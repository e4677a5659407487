/* A model with a never claim and an ltl formula: the counts are those of the system alone.
 * expect: holds property=safety states=12 transitions=11
 * expect: holds property=finishes
 * expect: holds property=grows
 */
byte x;
bool done;

active proctype count() {
  do
  :: x < 4 -> x++
  :: x == 4 -> break
  od;
  done = true
}

ltl finishes { <> (done && x == 4) }
ltl grows { [] ((x > 2) -> (x > 1)) U done }
