/* violated: safety
   Twelve philosophers who all take the left fork first. */
#define N 12
bit fork[N];
byte meals;
active [N] proctype Philosopher() {
  do
  :: atomic { fork[_pid] == 0 -> fork[_pid] = 1 };
     atomic { fork[(_pid + 1) % N] == 0 -> fork[(_pid + 1) % N] = 1 };
     meals = meals % 3 + 1;
     fork[_pid] = 0;
     fork[(_pid + 1) % N] = 0
  od
}
