/* violated: safety
   Four tellers move money among five accounts, each reads and writes in two steps; an auditor looks when all are done. */
int account[5] = 100;
byte done;
proctype Teller(byte from, to) {
  int have;
  byte i;
  for (i : 1 .. 3) {
    have = account[from];
    account[from] = have - 10;
    have = account[to];
    account[to] = have + 10
  }
  done++
}
init {
  atomic { run Teller(0, 1); run Teller(1, 2); run Teller(2, 3); run Teller(3, 4) }
  done == 4;
  assert(account[0] + account[1] + account[2] + account[3] + account[4] == 500)
}
