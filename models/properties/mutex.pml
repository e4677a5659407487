/*
 * Mutual exclusion for two processes: who wants in gets in?
 *
 * Shows: formulas with remote references, and what weak fairness can and cannot do. Peterson's protocol (1981) lets
 * nobody wait for ever if every process that can move does so at last. With a lock that is taken by test-and-set a
 * process can move only now and then, whenever the lock happens to be free, so that weak fairness does not help it.
 *
 * Options: -DTESTANDSET  the lock
 * Properties: exclusion (holds), served (holds only for Peterson's protocol and under weak fairness).
 *
 * expect: holds property=safety
 * expect: holds property=exclusion
 * expect: violated(acceptance-cycle) property=served
 * expect: holds property=served fairness=weak
 * expect: holds property=exclusion with -DTESTANDSET
 * expect: violated(acceptance-cycle) property=served fairness=weak with -DTESTANDSET
 */
bit flag[2], turn, lock;

#ifdef TESTANDSET
#define ENTER atomic { lock == 0 -> lock = 1 }
#define LEAVE lock = 0
#else
#define ENTER \
  flag[_pid] = 1; turn = 1 - _pid; \
  (flag[1 - _pid] == 0 || turn == _pid)
#define LEAVE flag[_pid] = 0
#endif

active [2] proctype user() {
  do
  :: skip;
waiting:
     ENTER;
critical:
     skip;
     LEAVE
  od
}

ltl exclusion { [] !(user[0]@critical && user[1]@critical) }
ltl served    { [] (user[0]@waiting -> <> user[0]@critical) }
