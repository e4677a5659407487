/* violated: ltl calm
   A cafe counts its orders, and its cook may go home early. A depth-first search goes round the counter first, and
   finds a loop of 300,000 statements; there is one of four. */
int served;
byte queue;
active proctype Guests() {
  do
  :: queue < 3 && served < 60000 -> queue++
  :: queue == 3 || served == 60000 -> queue < 3
  od
}
active proctype Cook() {
  do
  :: queue > 0 -> queue--; served++
  :: served >= 60000 -> served = 0
  :: served == 3 && queue == 1 -> break
  od;
  do
  :: queue > 0 -> queue--
  od
}
ltl calm { []<>(queue == 0) -> <>(served == 7 && queue == 5) }
