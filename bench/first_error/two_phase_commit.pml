/* violated: safety
   Two-phase commit of five participants; one that is slow to vote is taken for a yes after a time-out. */
#define N 5
mtype = { PREPARE, YES, NO, COMMIT, ABORT };
chan to[N] = [1] of { mtype };
chan votes = [N] of { mtype };
byte committed, aborted;
proctype Participant(byte me) {
  mtype m;
  to[me] ? PREPARE;
  if
  :: votes ! YES
  :: votes ! NO; aborted++; assert(committed == 0); goto done
  fi;
  to[me] ? m;
  if
  :: m == COMMIT -> committed++; assert(aborted == 0)
  :: m == ABORT -> aborted++; assert(committed == 0)
  fi;
done:
  skip
}
active proctype Coordinator() {
  byte i, yes, no;
  atomic { for (i : 0 .. N - 1) { run Participant(i) } }
  for (i : 0 .. N - 1) { to[i] ! PREPARE }
  do
  :: votes ? YES -> yes++
  :: votes ? NO -> no++
  :: yes + no == N -> break
  :: yes >= N - 1 && no == 0 -> break
  od;
  for (i : 0 .. N - 1) {
    if
    :: no == 0 -> to[i] ! COMMIT
    :: else -> to[i] ! ABORT
    fi
  }
}
