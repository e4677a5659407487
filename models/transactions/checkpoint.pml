/*
 * How a checkpoint of a long search is committed: by shadowing, without a log.
 *
 * Shows: in which order files are synced, named and removed, so that there is a checkpoint to go on from whenever a
 * process is killed or the power fails. Checkpoint e is a file of data, new at each checkpoint, and a manifest that
 * names it and the data of e - 1 (of a search, most data stay from one checkpoint to the next). Nothing that the last
 * manifest names is removed before the next one is durable. Whoever goes on takes the newest manifest that is whole and
 * whose files are all there; it does not read the data.
 *
 * After a power failure, content that was not synced may be damaged though the file has its length, and each name
 * that was made or removed since the folder was synced may be there or not, one independently of the other.
 *
 * Options: -DCHECKPOINTS=...  (default 3); -DCRASHES=... processes killed or power failures (default 2)
 *          -DNO_DATA_SYNC      the data are not synced before the commit
 *          -DNO_MANIFEST_SYNC  the manifest is not synced before it gets its name
 *          -DNO_DIR_SYNC       the folder is not synced behind the commit
 *          -DDELETE_EARLY      what only the last checkpoint needs is removed before the commit
 *          -DIN_PLACE          the manifest is written under its name at once; its checksum helps against one crash only
 *          -DTORN              ... and its checksum is not compared
 *          -DNO_NAME_SYNC      the folder is not synced before the commit
 *          -DNO_RESUME_SYNC    whoever goes on removes files before the folder is synced
 * Properties (assertions): there is always a checkpoint to go on from, it is not older than the last one that was
 * acknowledged, and its data are good.
 *
 * Shortest counterexamples (cmc check --search bfs):
 *   NO_DATA_SYNC, 44 steps: the manifest has its name; the power fails: the manifest is whole, the data are not
 *   NO_MANIFEST_SYNC, 46: checkpoint 1 is acknowledged; the power fails: its manifest is damaged, 0 is gone on from
 *   NO_DIR_SYNC, 45: checkpoint 1 is acknowledged; the power fails: its manifest has no name
 *   DELETE_EARLY, 26: of checkpoint 2 the data are written and those of 0 removed; killed: 1 names them
 *   IN_PLACE, 51: the process is killed before manifest 1 is synced; the search goes on from it; the power fails
 *   TORN, 13: the process is killed while it writes manifest 1; the search goes on from it
 *   NO_NAME_SYNC, 100: the power fails when manifest 1 has its name: the name is kept, that of the data is not. The search
 *     goes on from 0, removes manifest 1 and writes data 1 anew; the power fails: manifest 1 is back, the data are bad
 *   NO_RESUME_SYNC, 51: the process is killed when manifest 1 has its name; the search says that it goes on from 1; the
 *     power fails: the name is lost
 *
 * expect: holds states=14622 transitions=27560
 * expect: holds states=3455 transitions=5888 with -DIN_PLACE -DCRASHES=1
 * expect: violated(assertion) states=22779 transitions=41699 errors=159 with -DIN_PLACE
 * expect: violated(assertion) states=49350 transitions=95417 errors=2378 with -DNO_DATA_SYNC
 * expect: violated(assertion) states=208236 transitions=372991 errors=11301 with -DNO_MANIFEST_SYNC
 * expect: violated(assertion) states=55546 transitions=100007 errors=2729 with -DNO_DIR_SYNC
 * expect: violated(assertion) states=44547 transitions=79774 errors=2294 with -DDELETE_EARLY
 * expect: violated(assertion) states=21294 transitions=39214 errors=225 with -DTORN
 * expect: violated(assertion) states=24112 transitions=45233 errors=18 with -DNO_NAME_SYNC
 * expect: violated(assertion) states=18374 transitions=34180 errors=141 with -DNO_RESUME_SYNC
 */
#ifndef CHECKPOINTS
#define CHECKPOINTS 3
#endif
#ifndef CRASHES
#define CRASHES 2
#endif

#ifdef TORN
#define IN_PLACE
#define WHOLE(e) true
#else
#define WHOLE(e) manifest[e].good
#endif

/* A file: whether it is there, whether its content is what was meant; both as they are now and as they are certainly
 * after a power failure. */
typedef File {
  bool there, good, name_kept, content_kept
};

File data[CHECKPOINTS + 1], manifest[CHECKPOINTS + 1];
byte acknowledged, crashes;
bool dead;

#define KEEP_NAMES(e) data[e].name_kept = data[e].there; manifest[e].name_kept = manifest[e].there

inline sync_directory() {
  d_step {
    for (i : 0 .. CHECKPOINTS) {
      KEEP_NAMES(i)
    }
    i = 0
  }
}

inline write_data() {
  d_step {
    data[epoch].there = true;
    data[epoch].good = true;
    data[epoch].content_kept = false
  }
}

inline sync_data() {
#ifdef NO_DATA_SYNC
  skip
#else
  data[epoch].content_kept = true
#endif
}

/* The content of manifest.tmp, which whoever goes on takes no notice of: it has no state of its own here. */
inline write_manifest() {
  d_step {
    manifest[epoch].content_kept = false;
#ifdef IN_PLACE
    manifest[epoch].there = true;
    manifest[epoch].good = false
#else
    manifest[epoch].good = true
#endif
  };
#ifdef IN_PLACE
  manifest[epoch].good = true
#endif
}

inline sync_manifest() {
#ifdef NO_MANIFEST_SYNC
  skip
#else
  manifest[epoch].content_kept = true
#endif
}

inline rename_manifest() {
#ifdef IN_PLACE
  skip
#else
  manifest[epoch].there = true
#endif
}

inline remove(file) {
  file.there = false
}

/* What neither manifest e nor a later one names. */
inline remove_older(e) {
  if
  :: e >= 2 -> remove(data[e - 2]); remove(manifest[e - 2])
  :: else
  fi
}

inline commit() {
  write_data();
  sync_data();
#ifndef NO_NAME_SYNC
  sync_directory();
#endif
#ifdef DELETE_EARLY
  remove_older(epoch);
#endif
  write_manifest();
  sync_manifest();
  rename_manifest();
#ifndef NO_DIR_SYNC
  sync_directory();
#endif
  acknowledged = epoch;
#ifndef DELETE_EARLY
  remove_older(epoch)
#endif
}

/* Manifest e is whole, and its files are there. */
#define USABLE(e) (manifest[e].there && WHOLE(e) && data[e].there && (e == 0 || data[e - (e > 0)].there))
#define GOOD(e) (manifest[e].good && data[e].good && (e == 0 || data[e - (e > 0)].good))

inline choose() {
  d_step {
    epoch = CHECKPOINTS;
    do
    :: epoch > 0 && !USABLE(epoch) -> epoch--
    :: else -> break
    od;
    assert(USABLE(epoch));
    assert(epoch >= acknowledged);
    assert(GOOD(epoch))
  }
}

inline resume() {
  choose();
#ifndef NO_RESUME_SYNC
  sync_directory();
#endif
  acknowledged = epoch;
  later = epoch + 1;
  do
  :: later <= CHECKPOINTS -> remove(manifest[later]); remove(data[later]); later++
  :: else -> break
  od;
  remove_older(epoch)
}

active proctype search() {
  byte epoch, later, i;

  d_step {
    data[0].there = true;
    data[0].good = true;
    data[0].content_kept = true;
    manifest[0].there = true;
    manifest[0].good = true;
    manifest[0].content_kept = true;
    KEEP_NAMES(0)
  }
  do
  :: epoch < CHECKPOINTS || dead ->
       { epoch++; commit() } unless { dead };
       do
       :: dead -> dead = false; { resume() } unless { dead }
       :: else -> break
       od
  :: else -> break
  od
}

inline cut(file) {
  if
  :: file.there != file.name_kept -> file.there = file.name_kept
  :: file.name_kept = file.there
  fi;
  if
  :: file.good && !file.content_kept -> file.good = false
  :: file.content_kept = file.good
  fi
}

active proctype world() {
  byte i;

  do
  :: crashes < CRASHES ->
       if
       :: d_step { crashes++; dead = true }  /* a process that is killed */
       :: atomic {
            crashes++;
            for (i : 0 .. CHECKPOINTS) {
              cut(data[i]);
              cut(manifest[i])
            }
            i = 0;
            dead = true
          }
       fi
  :: break
  od
}
