/* violated: safety
   Caches of a shared line: a cache that is upgraded does not wait for the others to forget their copies. */
#define N 5
mtype = { INVALID, SHARED, MODIFIED, GET_SHARED, GET_MODIFIED, GRANT, FORGET };
mtype state[N] = INVALID;
chan bus = [2] of { mtype, byte };
chan cache[N] = [2] of { mtype };
byte writers;

active proctype Directory() {
  byte who, i;
  do
  :: bus ? GET_SHARED, who ->
       for (i : 0 .. N - 1) {
         if
         :: i != who && state[i] == MODIFIED -> cache[i] ! FORGET
         :: else
         fi
       }
       cache[who] ! GRANT
  :: bus ? GET_MODIFIED, who ->
       for (i : 0 .. N - 1) {
         if
         :: i != who && state[i] != INVALID -> cache[i] ! FORGET
         :: else
         fi
       }
       cache[who] ! GRANT
  od
}

active [N] proctype Cache() {
  byte me = _pid - 1;
  do
  :: cache[me] ? FORGET -> state[me] = INVALID
  :: state[me] == INVALID ->
       bus ! GET_SHARED, me;
       do
       :: cache[me] ? FORGET
       :: cache[me] ? GRANT -> state[me] = SHARED; break
       od
  :: state[me] != MODIFIED ->
       bus ! GET_MODIFIED, me;
       do
       :: cache[me] ? FORGET -> state[me] = INVALID
       :: cache[me] ? GRANT -> break
       od;
       writers++;
       assert(writers == 1);
       state[me] = MODIFIED;
       writers--
  od
}
