/* A barber and his customers (Dijkstra 1965): handshakes, started by another process, a customer in a hurry counts. */
#ifndef CUSTOMERS
#define CUSTOMERS 4
#endif

chan chair = [0] of { bit };
byte waiting, served;

proctype customer(bit hurry) {
  do
  :: atomic { waiting < 3 -> waiting++ }
     if
     :: chair ! hurry
     :: hurry -> waiting--; goto away
     fi;
     waiting--;
     assert(waiting <= 3);
away: skip
  od
}

proctype barber() {
  bit fast;
end:
  do
  :: chair ? fast;
     if
     :: fast
     :: else -> served = (served + 1) % 2
     fi
  od
}

init {
  byte i;
  run barber();
  do
  :: i < CUSTOMERS -> run customer(i % 2); i++
  :: else -> break
  od
}
