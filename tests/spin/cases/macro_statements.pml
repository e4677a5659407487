/* Old-style text: macros that are whole statements, options and sequences; no semicolon before `}`.
 * expect: holds states=2677 transitions=6298
 */
#define N 3
#define FREE 255
#define lock(who)   atomic { (owner == FREE) -> owner = who }
#define unlock(who) assert(owner == who); owner = FREE
#define option(c, s) :: (c) -> s

byte owner = FREE;
byte shared;

proctype client(byte id) {
  byte turn;
  do
  option(turn < 2, lock(id); shared++; assert(shared == 1); shared--; unlock(id); turn++)
  option(turn >= 2, break)
  od
}

init {
  byte i;
  atomic {
    do
    :: (i < N) -> run client(i); i++
    :: (i >= N) -> break
    od
  }
}
