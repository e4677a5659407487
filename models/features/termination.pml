/*
 * The end of a distributed computation, found by four counters (Mattern, "Algorithms for distributed termination
 * detection", 1987). Processes that are busy send messages; a message makes its receiver busy again. A detector asks
 * one process after the other how many messages it has sent and received, and whether it is idle. It says that all is
 * over when two rounds in a row have the same sums, all sent messages were received, and all processes were idle.
 *
 * This is how cmc-mpi finds the end of a search (checker/ranks). Messages overtake each other here; there they do not.
 *
 * Shows: why one round is not enough. A message can be received by a process that was asked before, and the answer to
 * it come to one that is asked later: the sums of the round fit, and the first process is busy.
 *
 * Options: -DN=...      processes
 *          -DM=...      messages in all
 *          -DROUNDS=1   the mistake: one round decides
 * Properties: nobody is busy and nothing is under way when the detector says so (assertions).
 *
 * expect: holds states=326127 transitions=1108528
 * expect: violated(assertion) states=332513 transitions=1125438 errors=324 with -DROUNDS=1
 */
#ifndef N
#define N 3
#endif
#ifndef M
#define M 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

byte left = M;               /* messages that may still be sent */
byte under_way[N];           /* by receiver */
byte sent[N], received[N];
bool busy[N] = true;
bool over;

active [N] proctype worker() {
  byte to;
end:
  do
  :: atomic {
       busy[_pid] && left > 0 -> left--; sent[_pid]++;
       select (to : 0 .. N - 1);
       under_way[to]++; to = 0
     }
  :: busy[_pid] -> busy[_pid] = false
  :: d_step { under_way[_pid] > 0 -> under_way[_pid]--; received[_pid]++; busy[_pid] = true }
  :: over -> break
  od
}

active proctype detector() {
  byte next, all_sent, all_received, last_sent, last_received;
  bool all_idle, last_idle;

  do
  :: d_step { next = 0; all_sent = 0; all_received = 0; all_idle = true };
     do
     :: d_step {
          next < N ->
            all_sent = all_sent + sent[next];
            all_received = all_received + received[next];
            all_idle = all_idle && !busy[next];
            next++
        }
     :: else -> break
     od;
     if
     :: all_idle && all_sent == all_received &&
        (ROUNDS == 1 || (last_idle && all_sent == last_sent && all_received == last_received)) -> break
     :: else -> d_step { last_sent = all_sent; last_received = all_received; last_idle = all_idle }
     fi
  od;
  over = true;
  d_step {
    next = 0;
    do
    :: next < N -> assert(!busy[next]); assert(under_way[next] == 0); next++
    :: else -> break
    od
  }
}
