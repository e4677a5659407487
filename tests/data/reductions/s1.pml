/*
 * Producers and consumers share a bounded buffer; a consumer works on what it took, with one of two tools.
 * Nobody knows who is who. Stuck if every tool is held and its holder waits for another one.
 */
#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 3
#endif

chan buffer = [2] of { bit };
byte tools = 2;
byte made;

active [PRODUCERS] proctype producer() {
  bit item;
  do
  :: made < 3 -> made++; item = 1 - item; buffer ! item; item = 0
  od
}

active [CONSUMERS] proctype consumer() {
  bit item;
  do
  :: buffer ? item;
     atomic { tools > 0 -> tools-- }
     if
     :: item -> atomic { tools > 0 -> tools-- } tools++
     :: else
     fi;
     tools++;
     atomic { made--; item = 0 }
  od
}
