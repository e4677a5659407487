/*
 * Dekker's mutual exclusion for two processes (about 1962), the first one found that needs no special instructions.
 *
 * Shows: shared variables only. A process says that it wants in; if both want, the one whose turn it is not steps
 * back.
 *
 * Options: -DPOLITE=0  nobody steps back: they may wait for each other for ever (deadlock)
 * Properties: mutual exclusion (assertion), no deadlock.
 *
 * expect: holds states=110 transitions=190
 * expect: violated(end-state) states=44 transitions=66 errors=2 with -DPOLITE=0
 */
#ifndef POLITE
#define POLITE 1
#endif

bool wants[2];
bit turn;
byte inside;

active [2] proctype user() {
  pid me = _pid, other = 1 - _pid;

  do
  :: wants[me] = true;
     do
     :: !wants[other] -> break
     :: POLITE && wants[other] && turn == other ->
          wants[me] = false;
          (turn == me);
          wants[me] = true
     od;

     inside++;
     assert(inside == 1);
     inside--;

     turn = other;
     wants[me] = false
  od
}
