/* violated: ltl bounded
   A formula that is an invariant: a queue of a router holds at most five packets. */
byte queue[3];
active [3] proctype Source() {
  byte next = (_pid + 1) % 3;
  do
  :: atomic { queue[_pid] < 6 -> queue[_pid]++ }
  :: atomic { queue[_pid] > 0 && queue[next] < 5 -> queue[_pid]--; queue[next]++ }
  :: atomic { queue[_pid] > 0 -> queue[_pid]-- }
  od
}
ltl bounded { [] (queue[0] <= 5 && queue[1] <= 5 && queue[2] <= 5) }
