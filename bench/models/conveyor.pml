/*
 * Conveyor belts: producers put numbered parcels on the first of BELTS long queues, relays move them on, and a consumer
 * takes them off the last one.
 *
 * Bad for a checker that divides a state into parts: with one belt almost every state has a content of the queue of its
 * own, and all processes but those that wait look at it. With more belts their contents combine.
 *
 * Options: -DPRODUCERS=...
 *          -DBELTS=...    1, 2 or 3
 *          -DQSZ=...      capacity of a belt
 *          -DNUMBERS=...  parcels are numbered modulo this
 * Property: the parcels of each producer arrive in order and undamaged (assertion); no deadlock.
 *
 * expect: holds states=960 transitions=2304 with -DQSZ=3
 * expect: holds states=5488 transitions=16576 with -DQSZ=2 -DBELTS=3 -DPRODUCERS=2 -DNUMBERS=2
 * expect: holds states=5038592 transitions=15115008 with -DPRODUCERS=3 slow
 * expect: holds states=1032256 transitions=3076480 with -DBELTS=2 -DQSZ=6 slow
 */
#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef BELTS
#define BELTS 1
#endif
#ifndef QSZ
#define QSZ 8
#endif
#ifndef NUMBERS
#define NUMBERS 4
#endif

#define CHECK(sender, number) ((sender + 1) * (number + 1))

chan belt[BELTS] = [QSZ] of { byte, byte, byte };  /* sender, number, CHECK */

active [PRODUCERS] proctype producer() {
  byte number;

  do
  :: belt[0] ! _pid, number, CHECK(_pid, number);
     number = (number + 1) % NUMBERS
  od
}

active proctype consumer() {
  byte awaited[PRODUCERS];
  byte sender, number, check;

  do
  :: atomic {
       belt[BELTS - 1] ? sender, number, check;
       assert(number == awaited[sender] && check == CHECK(sender, number));
       awaited[sender] = (number + 1) % NUMBERS;
       sender = 0; number = 0; check = 0
     }
  od
}

#define RELAY(from, to) \
  active proctype relay_##to() { \
    byte sender, number, check; \
    do \
    :: atomic { \
         nfull(belt[to]) && nempty(belt[from]) -> \
           belt[from] ? sender, number, check; \
           belt[to] ! sender, number, check; \
           sender = 0; number = 0; check = 0 \
       } \
    od \
  }
#if BELTS > 1
RELAY(0, 1)
#endif
#if BELTS > 2
RELAY(1, 2)
#endif
