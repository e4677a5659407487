/*
 * Optimistic transactions that plan their writes in a log, and write at their commit (Kung and Robinson 1981).
 *
 * Shows: what a commit needs beside a validation: a lock around validation and writes, and, for processes that are
 * killed and machines that stop, a redo log with a commit point. studies/transactions/transaction.cc does with a folder
 * of files what this model does with -DSPLIT -DLOCK -DCRASH; its steps have the names of the inlines here.
 *
 * Two transactions add one to two counters, one after the other: a counter that is not there becomes 0, any other is
 * incremented. A transaction that finds a conflict is repeated. One after the other they leave 1 and 1.
 *
 * Options: -DSPLIT         validation and writes are steps of their own (default: the commit is indivisible)
 *          -DLOCK          with SPLIT: a lock around the commit
 *          -DCRASH         with LOCK: as often as -DCRASHES=... says (default 2) a process is killed, or the power
 *                          fails: of what was written since the last sync any part may be lost
 *          -DVALIDATE_AGAIN  whoever completes a commit validates it first, also against its own half
 *          -DNO_LOG_SYNC     the log is not synced before the commit point
 *          -DNO_MARK_SYNC    the commit point is not synced before files are written
 *          -DNO_FOUND_SYNC   ... nor is one that was found, before files are written again
 *          -DNO_FILE_SYNC    the log is removed though the files have not been synced
 *          -DEVENTS          prints its steps, so that what the program has logged (txn --events) can be held against it; A.jsonl
 *                            and B.jsonl are those of two processes that met
 * Properties (assertions): a transaction that commits has seen both counters alike (atomicity), and when both have
 * committed, both counters are 1 (isolation) and stay so without power (durability).
 *
 * Shortest counterexamples (cmc check --search bfs), of the transactions A and B, with the steps of the commit:
 *   SPLIT, 27 steps: A validates, marks, applies counter 0; B reads 0 and nothing, validates: it has seen a half
 *   VALIDATE_AGAIN, 34: A marks, syncs, applies counter 0 and is killed; B takes the lock, finds A's log not valid
 *     because of A's own half, discards it, and builds on the half
 *   NO_LOG_SYNC, 44: A marks, syncs the mark, applies counter 0; the power fails: the counter is kept, the log is torn
 *   NO_MARK_SYNC, 42: A marks, applies counter 0; the power fails: the counter is kept, the mark is lost
 *   NO_FOUND_SYNC, 53: A marks and is killed before it syncs the mark; A again finds its log and applies counter 0; the
 *     power fails: the counter is kept, the mark is lost
 *   NO_FILE_SYNC, 44: A commits and removes its log; the power fails: only one counter is kept
 * If each transaction had a name of its own for the commit point, CRASH would fail: a power failure can undo
 * the removal of A's log and keep B's mark; then A's log would be completed behind B's.
 *
 * expect: holds states=408 transitions=714
 * expect: violated(assertion) states=1775 transitions=3288 errors=11 with -DSPLIT
 * expect: holds states=1005 transitions=1812 with -DSPLIT -DLOCK
 * expect: holds states=657177 transitions=2045848 with -DSPLIT -DLOCK -DCRASH slow
 * expect: holds states=127133 transitions=338836 with -DSPLIT -DLOCK -DCRASH -DCRASHES=1
 * expect: violated(assertion) states=271704 transitions=710614 errors=2573 with -DSPLIT -DLOCK -DCRASH -DCRASHES=1 -DVALIDATE_AGAIN
 * expect: violated(assertion) states=304844 transitions=798702 errors=2288 with -DSPLIT -DLOCK -DCRASH -DCRASHES=1 -DNO_LOG_SYNC
 * expect: violated(assertion) states=221395 transitions=584598 errors=1880 with -DSPLIT -DLOCK -DCRASH -DCRASHES=1 -DNO_MARK_SYNC
 * expect: violated(assertion) states=805138 transitions=2441018 errors=2012 with -DSPLIT -DLOCK -DCRASH -DNO_FOUND_SYNC slow
 * expect: explained A.jsonl,B.jsonl with -DSPLIT -DLOCK -DCRASH -DEVENTS
 * expect: not-explained A.jsonl,B.jsonl with -DSPLIT -DEVENTS
 * expect: violated(assertion) states=250827 transitions=648092 errors=800 with -DSPLIT -DLOCK -DCRASH -DCRASHES=1 -DNO_FILE_SYNC
 */
#ifndef CRASHES
#define CRASHES 2
#endif

#ifdef EVENTS
mtype = { READ, PLAN, VALIDATE, DISCARD, TAKE_LOCK, SYNC_FOUND, SYNC_LOG, MARK, SYNC_MARK, APPLY, SYNC_FILES, REMOVE_LOG,
          RELEASE_LOCK, KILL };
#define d_step atomic  /* whose statements are observed */
#define STEP(name, value) printf("%e of %d: %d\n", name, _pid, value)
#else
#define STEP(name, value) skip
#endif

//@ event read(who, content) : printf("%e of %d: %d\n", READ, who, content + 1)
//@ event plan(who, content, valid) : printf("%e of %d: %d\n", PLAN, who, (valid -> content + 1 : 0))
//@ event take_lock(who) : printf("%e of %d: %d\n", TAKE_LOCK, who, 0)
//@ event sync_found(who) : printf("%e of %d: %d\n", SYNC_FOUND, who, 0)
//@ event validate(who, valid) : printf("%e of %d: %d\n", VALIDATE, who, valid)
//@ event sync_log(who) : printf("%e of %d: %d\n", SYNC_LOG, who, 0)
//@ event mark(who) : printf("%e of %d: %d\n", MARK, who, 0)
//@ event sync_mark(who) : printf("%e of %d: %d\n", SYNC_MARK, who, 0)
//@ event apply(who, content) : printf("%e of %d: %d\n", APPLY, who, content + 1)
//@ event sync_files(who) : printf("%e of %d: %d\n", SYNC_FILES, who, 0)
//@ event remove_log(who) : printf("%e of %d: %d\n", REMOVE_LOG, who, 0)
//@ event release_lock(who) : printf("%e of %d: %d\n", RELEASE_LOCK, who, 0)
//@ event kill(who) : printf("%e of %d: %d\n", KILL, who, 0)
//@ event ended(first, second) : printf("%d and %d\n", first + 1, second + 1)
//@ value A = 0
//@ value B = 1
//@ value world = 2
//@ value none = -1

/* The content of each file: 0 if it is not there, n + 1 if it says n. */
typedef Files {
  byte file[2]
};

#define NOBODY 2

Files disk, kept;          /* as everybody sees them; as they are certainly after a power failure */
Files seen[2], planned[2]; /* the log of each transaction: what it found, what it wants to write */
byte marked = NOBODY;      /* whose log has the name that is the commit point; there is one such name for all */
bool committed[2];
byte lock = NOBODY, ended;
#ifdef CRASH
byte mark_kept = NOBODY;
bool log_kept[2], torn[2], dead[2];
#endif

#define SAME(a, b) (a.file[0] == b.file[0] && a.file[1] == b.file[1])
#define VALID(t) SAME(seen[t], disk)

inline read(f) {
  d_step { STEP(READ, disk.file[f]); seen[_pid].file[f] = disk.file[f] }
}

#define UNCHANGED(f) (seen[_pid].file[f] == disk.file[f])

/* A file that has changed since it was read ends the attempt. */
inline plan(f) {
  d_step {
    STEP(PLAN, (UNCHANGED(f) -> seen[_pid].file[f] + 1 : 0));
    valid = UNCHANGED(f);
    planned[_pid].file[f] = seen[_pid].file[f] + 1;
#ifdef CRASH
    log_kept[_pid] = false
#endif
  }
}

#ifndef SPLIT

inline commit() {
  d_step {
    if
    :: VALID(_pid) ->
         assert(seen[_pid].file[0] == seen[_pid].file[1]);
         disk.file[0] = planned[_pid].file[0];
         disk.file[1] = planned[_pid].file[1];
         committed[_pid] = true
    :: else
    fi
  }
}

#else

#ifdef LOCK

inline take_lock() {
  d_step { lock == NOBODY -> STEP(TAKE_LOCK, 0); lock = _pid }
}

inline release_lock() {
  d_step { STEP(RELEASE_LOCK, 0); lock = NOBODY }
}

#else
#define take_lock() skip
#define release_lock() skip
#endif

inline validate() {
  d_step {
    STEP(VALIDATE, VALID(_pid));
    valid = VALID(_pid);
    assert(!valid || seen[_pid].file[0] == seen[_pid].file[1])
  }
}

inline mark() {
  d_step { STEP(MARK, 0); marked = _pid; committed[_pid] = true }
}

/* Of transaction t. */
inline apply(t, f) {
  d_step { STEP(APPLY, planned[t].file[f]); disk.file[f] = planned[t].file[f] }
}

inline remove_log() {
  d_step { STEP(REMOVE_LOG, 0); marked = NOBODY }
}

#ifdef CRASH

inline sync_log() {
  d_step {
    STEP(SYNC_LOG, 0);
#ifndef NO_LOG_SYNC
    log_kept[_pid] = true
#endif
  }
}

/* Of the folder of logs: also what was renamed or removed there before. */
/* Syncs the folder of logs. */
inline sync_mark() {
  d_step {
    STEP(SYNC_MARK, 0);
#ifndef NO_MARK_SYNC
    mark_kept = marked
#endif
  }
}

inline sync_found() {
  d_step {
    STEP(SYNC_FOUND, 0);
#ifndef NO_FOUND_SYNC
    mark_kept = marked
#endif
  }
}

inline sync_files() {
  d_step {
    STEP(SYNC_FILES, 0);
#ifndef NO_FILE_SYNC
    kept.file[0] = disk.file[0];
    kept.file[1] = disk.file[1]
#endif
  }
}

/* Of a log that cannot be read, or, with VALIDATE_AGAIN, that is found not to be valid. */
inline discard() {
  d_step { STEP(DISCARD, 0); committed[marked] = false; marked = NOBODY }
}

/* Whoever has the lock completes first what has been left behind it. */
inline complete() {
  if
  :: marked == NOBODY
  :: else ->
       if
       :: torn[marked] -> discard()
#ifdef VALIDATE_AGAIN
       :: !torn[marked] && !VALID(marked) -> discard()
       :: !torn[marked] && VALID(marked) ->
#else
       :: else ->
#endif
            sync_found();
            apply(marked, 0);
            apply(marked, 1);
            sync_files();
            remove_log()
       fi
  fi
}

inline kill(t) {
  d_step {
    if
    :: lock == t -> lock = NOBODY
    :: else
    fi;
    dead[t] = true
  }
}

/* What is not synced may be there or not. What happened to one name is lost from the end. */
inline cut_power() {
  atomic {
    if
    :: disk.file[0] = kept.file[0]
    :: kept.file[0] = disk.file[0]
    fi;
    if
    :: disk.file[1] = kept.file[1]
    :: kept.file[1] = disk.file[1]
    fi;
    if
    :: marked != mark_kept && marked != NOBODY -> committed[marked] = false; marked = NOBODY
    :: marked != mark_kept && marked != NOBODY -> committed[marked] = false; marked = mark_kept
    :: marked == NOBODY -> marked = mark_kept
    :: skip
    fi;
    mark_kept = marked;
    if
    :: marked != NOBODY && !log_kept[marked] -> torn[marked] = true
    :: skip
    fi;
    lock = NOBODY;
    dead[0] = true;
    dead[1] = true
  }
}

#else
#define sync_log() skip
#define sync_mark() skip
#define sync_files() skip
#endif

inline commit() {
  take_lock();
#ifdef CRASH
  complete();
#endif
  if
  :: committed[_pid]  /* and completed, here or by somebody else */
  :: else ->
       validate();
       if
       :: valid ->
            sync_log();
            mark();
            sync_mark();
            apply(_pid, 0);
            apply(_pid, 1);
            sync_files();
            remove_log()
       :: else
       fi
  fi;
  release_lock()
}

#endif

inline attempt() {
  if
  :: committed[_pid] -> valid = true
  :: else ->
       read(0);
       plan(0);
       if
       :: valid -> read(1); plan(1)
       :: else
       fi
  fi;
  if
  :: valid -> commit()
  :: else
  fi
}

active [2] proctype transaction() {
  bool valid, again;

  do
  :: committed[_pid] && !again -> break
  :: else ->
#ifdef CRASH
       { attempt(); again = false } unless { d_step { dead[_pid] -> dead[_pid] = false; again = true } }
#else
       attempt()
#endif
  od;
  atomic {
    ended++;
    if
    :: ended == 2 ->
         assert(disk.file[0] == 2 && disk.file[1] == 2);
#ifdef CRASH
         assert(SAME(disk, kept))
#endif
    :: else
    fi
  }
}

#ifdef CRASH

active proctype world() {
  byte crashes;

  do
#ifdef EVENTS
  :: atomic { STEP(KILL, 0); kill(0) }
#else
  :: crashes < CRASHES && ended < 2 ->
       crashes++;
       if
       :: kill(0)
       :: kill(1)
       :: cut_power()
       fi
#endif
  :: crashes == CRASHES || ended == 2 -> break
  od
}

#endif

#ifdef EVENTS
active proctype reporter() {
  printf("%d and %d\n", disk.file[0], disk.file[1])
}
#endif
