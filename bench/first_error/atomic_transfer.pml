/* violated: safety
   A transfer is atomic, and its check at the end forgets fees that another process takes. */
byte purse[4] = 50;
byte fees;
active [3] proctype Trader() {
  byte to;
  do
  :: atomic {
       purse[_pid] >= 5;
       if :: to = 0 :: to = 1 :: to = 2 :: to = 3 fi;
       purse[_pid] = purse[_pid] - 5;
       purse[to] = purse[to] + 4;
       fees++;
       assert(purse[0] + purse[1] + purse[2] + purse[3] + fees == 200 && fees < 60)
     }
  od
}
