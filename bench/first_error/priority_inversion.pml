/* violated: safety
   A high task waits for a lock of a low one, which a middle one keeps from running: the Pathfinder's mistake. */
mtype = { IDLE, WAITING, RUNNING };
mtype high = IDLE, low = IDLE;
bit mutex;
byte data;
active proctype High() {
  do
  :: high = WAITING; atomic { mutex == 0 -> mutex = 1 }; high = RUNNING; data = (data + 1) % 90;
     atomic { high = IDLE; mutex = 0 }
  od
}
active proctype Low() provided (high == IDLE) {
  do
  :: low = WAITING; atomic { mutex == 0 -> mutex = 1 }; low = RUNNING; data = (data + 1) % 90;
     atomic { low = IDLE; mutex = 0 }
  od
}
