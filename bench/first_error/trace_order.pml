/* violated: trace
   A file must be opened, used and closed in this order; a client closes it twice after a failure. */
mtype = { OPEN, READ, CLOSE };
chan file = [1] of { mtype };
trace {
closed: if
  :: file ! OPEN -> goto opened
  fi;
opened: if
  :: file ! READ -> goto opened
  :: file ! CLOSE -> goto closed
  fi
}
active proctype Disk() {
  mtype m;
  byte reads;
  do
  :: file ? m -> if :: m == READ -> reads = (reads + 1) % 100 :: else fi
  od
}
active proctype Client() {
  byte fails;
  do
  :: file ! OPEN;
     do
     :: file ! READ
     :: fails++; file ! CLOSE; break
     od;
     if :: fails == 200 -> file ! CLOSE; fails = 0 :: else fi
  od
}
