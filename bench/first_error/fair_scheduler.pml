/* violated: ltl third
   A round robin over eight tasks that skips a task whose slice was cut twice. */
#define N 8
byte turn, slice[N], ran;
active proctype Scheduler() {
  do
  :: turn = (turn + 1) % N;
     if
     :: slice[turn] < 2 ->
          ran = turn;
          if
          :: slice[turn]++
          :: slice[turn] = 0
          fi
     :: else
     fi
  od
}
ltl third { [] <> (ran == 3) }
