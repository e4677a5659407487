/*
 * Cache coherence: the MSI protocol on a snooping bus, one memory cell, CACHES caches with a line each.
 *
 * Shows: an invariant over all processes, and atomic bus transactions. A line is Modified (the only copy, newer than
 * the memory), Shared (as the memory) or Invalid. A processor that misses takes the bus; the other caches snoop: a
 * read makes a modified line be written back and shared, a write invalidates all other lines.
 *
 * Options: -DCACHES=...  caches
 *          -DVALUES=...  values to write
 *          -DFORGETFUL   a write does not invalidate shared lines: a processor reads an old value
 * Properties: a read returns what was written last; one line at most is modified, and then all others are invalid;
 * who has taken the bus leaves no other line modified (assertions after every transaction). Both hold, but for FORGETFUL.
 *
 * expect: holds states=62 transitions=284
 * expect: holds states=222 transitions=1482 with -DCACHES=3
 * expect: holds states=766 transitions=6776 with -DCACHES=4
 * expect: violated(assertion) states=206 transitions=984 errors=188 with -DFORGETFUL
 */
#ifndef CACHES
#define CACHES 2
#endif
#ifndef VALUES
#define VALUES 2
#endif

mtype = { INVALID, SHARED, MODIFIED };

mtype line[CACHES] = INVALID;
byte data[CACHES];
byte memory;
byte last;  /* written last by anyone: what a read must return */

/* Another cache has the only copy: it writes it back and keeps it as `state`. */
inline write_back(state) {
  for (other : 0 .. CACHES - 1) {
    if
    :: other != me && line[other] == MODIFIED ->
         memory = data[other];
         line[other] = state
    :: else
    fi
  }
}

inline invalidate_others() {
  for (other : 0 .. CACHES - 1) {
    if
#ifdef FORGETFUL
    :: other != me && line[other] == MODIFIED -> line[other] = INVALID; data[other] = 0
#else
    :: other != me -> line[other] = INVALID; data[other] = 0
#endif
    :: else
    fi
  }
}

inline check_coherence() {
  for (other : 0 .. CACHES - 1) {
    assert(other == me || line[me] != MODIFIED || line[other] == INVALID);
    assert(other == me || line[other] != MODIFIED)
  }
  other = 0
}

active [CACHES] proctype processor() {
  pid me = _pid;
  byte other, value;

  do
  :: atomic {  /* read miss: take the bus */
       line[me] == INVALID ->
         write_back(SHARED);
         data[me] = memory;
         line[me] = SHARED;
         check_coherence()
     }
  :: line[me] != INVALID -> assert(line[me] == INVALID || data[me] == last)  /* read hit */
  :: atomic {  /* write: take the bus unless the line is ours already */
       select(value : 0 .. VALUES - 1);
       if
       :: line[me] != MODIFIED ->
            write_back(INVALID);
            invalidate_others();
            line[me] = MODIFIED
       :: else
       fi;
       data[me] = value;
       last = value;
       value = 0;
       check_coherence()
     }
  :: atomic {  /* the line is needed for another address */
       line[me] != INVALID ->
         if
         :: line[me] == MODIFIED -> memory = data[me]
         :: else
         fi;
         line[me] = INVALID;
         data[me] = 0
     }
  od
}
