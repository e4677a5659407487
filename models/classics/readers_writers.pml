/*
 * Readers and writers (Courtois, Heymans, Parnas 1971), the first solution: readers have priority.
 *
 * Shows: binary semaphores as guarded bits. The first reader that comes locks the writers out, the last one that goes
 * lets them in again. The counter of the readers has a semaphore of its own.
 *
 * Options: -DREADERS=..., -DWRITERS=...
 *          -DCARELESS  readers count themselves without the semaphore
 * Properties: a writer is alone, readers are only with readers (assertions), no deadlock. Violated for CARELESS.
 *
 * expect: holds states=161 transitions=304
 * expect: holds states=685 transitions=1597 with -DREADERS=3 -DWRITERS=2
 * expect: violated(assertion) states=8199 transitions=30534 errors=2664 with -DCARELESS
 */
#ifndef READERS
#define READERS 2
#endif
#ifndef WRITERS
#define WRITERS 2
#endif

bit mutex = 1, room = 1;   /* binary semaphores */
byte counted;              /* readers, as the algorithm knows */
byte reading, writing;     /* as it is, for the assertions */

#define P(semaphore) atomic { semaphore == 1 -> semaphore = 0 }
#define V(semaphore) semaphore = 1
#ifdef CARELESS
#define LOCK   skip
#define UNLOCK skip
#else
#define LOCK   P(mutex)
#define UNLOCK V(mutex)
#endif

active [READERS] proctype reader() {
  do
  :: LOCK;
     counted++;
     if
     :: counted == 1 -> P(room)
     :: else
     fi;
     UNLOCK;

     reading++;
     assert(writing == 0);
     reading--;

     LOCK;
     counted--;
     if
     :: counted == 0 -> V(room)
     :: else
     fi;
     UNLOCK
  od
}

active [WRITERS] proctype writer() {
  do
  :: P(room);
     writing++;
     assert(writing == 1 && reading == 0);
     writing--;
     V(room)
  od
}
