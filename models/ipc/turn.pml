/*
 * Two parties hand a spin lock to each other, to measure how long that takes: a lock by atomic exchange, and a variable
 * that says whose turn it is (Tanenbaum and Bos, Modern Operating Systems, section 2.3).
 *
 * Shows: what a lock does not give. The lock keeps the parties out of each other's way; only the turn makes them
 * alternate. Without the turn one party enters again before the other one came, and a time that was taken so contains
 * no work of the other party.
 *
 * Options: -DNOTURN  a lock alone
 * Properties: exclusion and alternation (assertions), nobody waits for ever.
 *
 * expect: holds states=221 transitions=373
 * expect: violated(assertion) states=1042 transitions=1764 errors=48 with -DNOTURN
 */
#define ROUNDS 3

bit lock, turn, last = 1;
byte inside;

#ifdef NOTURN
#define MINE true
#else
#define MINE (turn == _pid)
#endif

/* atomic_exchange(&lock, 1) returned 0. */
#define ACQUIRE atomic { lock == 0 -> lock = 1 }

active [2] proctype party() {
  byte round;

  do
  :: round < ROUNDS ->
     do
     :: ACQUIRE;
        if
        :: MINE -> break
        :: else -> lock = 0
        fi
     od;

     inside++;
     assert(inside == 1);
     assert(last != _pid);  /* the other one was here since */
     last = _pid;
     inside--;

     turn = 1 - _pid;
     lock = 0;
     round++
  :: else -> break
  od
}
