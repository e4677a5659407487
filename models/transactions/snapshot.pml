/*
 * Optimistic transactions that write in place, behind a snapshot of the whole folder.
 *
 * Shows: why such transactions are for one writer at a time. A transaction takes a snapshot when it starts, and writes
 * at once. It remembers the content of each file that it touched, as it left it. At its commit these files must not
 * have changed, else it goes back to its snapshot and repeats. Here commit and rollback are even indivisible; but a
 * rollback also takes away what others have committed meanwhile, and they are not told.
 *
 * Two transactions add one to two counters, one after the other: a counter that is not there becomes 0, any other is
 * incremented. One after the other they would leave 1 and 1.
 *
 * Options: -DTRIES=...     how often a transaction is tried (default 2; with FIGURE1 1)
 *          -DCONSISTENCY   asks only whether the counters are equal at the end
 *          -DFIGURE1       both transactions write one file, without reading it; neither is repeated
 *          -DNOT_NEWEST    as ZFS does it: going back is refused if there is a newer snapshot; here that is ignored
 * Properties (assertions): when both have committed both counters are 1 (isolation; fails); with CONSISTENCY: they are
 * equal (fails); with FIGURE1: if somebody has committed, the file is there (durability; fails); with NOT_NEWEST:
 * nothing of a transaction is left when it has been rolled back (atomicity; fails).
 *
 * Shortest counterexamples (cmc check --search bfs), of the transactions A and B:
 *   (no option), 36 steps: A start, read(0); B start, read(0); A write(0), read(1), write(1), commit; B write(0): a
 *     conflict, rollback to the empty folder; B start, ..., commit. Both have committed, and both counters are 0
 *   CONSISTENCY, 36 steps: A start, read(0); B start, read(0); A write(0), read(1); B write(0): a conflict, rollback
 *     to the empty folder; A write(1); B start, read(0), write(0) to 0; A commit: its own 0 is in counter 0; B
 *     read(1), write(1) to 1, commit. The counters are 0 and 1
 *   FIGURE1, 16 steps: A start, write; B start, write, commit; A commit: a conflict, rollback. The file is gone
 *   NOT_NEWEST, 13 steps: A start, read(0); B start, read(0), write(0); A write(0): a conflict, no rollback, because
 *     B's snapshot is newer; A is not told
 *
 * expect: violated(assertion) states=53508 transitions=90862 errors=295
 * expect: violated(assertion) states=53508 transitions=90862 errors=165 with -DCONSISTENCY
 * expect: violated(assertion) states=332 transitions=508 errors=18 with -DFIGURE1
 * expect: violated(assertion) states=33052 transitions=56472 errors=1186 with -DNOT_NEWEST
 */
#ifdef FIGURE1
#define FILES 1
#else
#define FILES 2
#endif

#ifndef TRIES
#ifdef FIGURE1
#define TRIES 1
#else
#define TRIES 2
#endif
#endif

/* The content of each file: 0 if it is not there, n + 1 if it says n. */
typedef Folder {
  byte file[FILES]
};

Folder disk;
Folder snapshot[2], known[2];  /* of each transaction: the folder when it started; the files as it left them */
bool has_snapshot[2], committed[2];
bit newest;                    /* who took the last snapshot */
byte ended;

#define OTHER (1 - _pid)

#ifdef FIGURE1
#define SAME(a, b) (a.file[0] == b.file[0])
#define COPY(to, from) to.file[0] = from.file[0]
#else
#define SAME(a, b) (a.file[0] == b.file[0] && a.file[1] == b.file[1])
#define COPY(to, from) to.file[0] = from.file[0]; to.file[1] = from.file[1]
#endif

inline start() {
  d_step {
    tries++;
    COPY(snapshot[_pid], disk);
    has_snapshot[_pid] = true;
    newest = _pid;
    touched[0] = false;
    touched[FILES - 1] = false
  }
}

/* A file that the transaction has touched before must be as it was left. */
inline touch(f) {
  if
  :: touched[f] && disk.file[f] != known[_pid].file[f] -> conflict = true
  :: else -> touched[f] = true; known[_pid].file[f] = disk.file[f]
  fi
}

inline read(f) {
  d_step { touch(f); value = disk.file[f] }
}

inline write(f, v) {
  d_step {
    touch(f);
    if
    :: conflict
    :: else -> disk.file[f] = v; known[_pid].file[f] = v
    fi
  }
}

/* True: a file that the transaction has touched is not as it was left. */
#define CHANGED(f) (touched[f] && disk.file[f] != known[_pid].file[f])

inline rollback() {
#ifdef NOT_NEWEST
  if
  :: has_snapshot[OTHER] && newest == OTHER  /* refused */
  :: else -> COPY(disk, snapshot[_pid])
  fi;
  assert(SAME(disk, snapshot[_pid]));
#else
  COPY(disk, snapshot[_pid]);
#endif
  has_snapshot[_pid] = false;
  conflict = false
}

inline commit() {
  d_step {
    if
    :: conflict || CHANGED(0) || CHANGED(FILES - 1) -> rollback()
    :: else -> has_snapshot[_pid] = false; committed[_pid] = true
    fi
  }
}

active [2] proctype transaction() {
  byte tries, value;
  bool touched[FILES], conflict;

  do
  :: committed[_pid] || tries == TRIES -> break
  :: else ->
       start();
#ifdef FIGURE1
       write(0, _pid + 1);
#else
       read(0);
       if
       :: !conflict -> write(0, value + 1)
       :: else
       fi;
       if
       :: !conflict -> read(1)
       :: else
       fi;
       if
       :: !conflict -> write(1, value + 1)
       :: else
       fi;
#endif
       commit()
  od;
  atomic {
    ended++;
    if
    :: ended == 2 ->
#if defined(FIGURE1)
         assert(disk.file[0] != 0 || !(committed[0] || committed[1]))
#elif defined(CONSISTENCY)
         assert(!(committed[0] && committed[1]) || disk.file[0] == disk.file[1])
#elif !defined(NOT_NEWEST)
         assert(!(committed[0] && committed[1]) || (disk.file[0] == 2 && disk.file[1] == 2))
#else
         skip
#endif
    :: else
    fi
  }
}
