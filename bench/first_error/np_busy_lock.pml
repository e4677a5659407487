/* violated: np
   A lock that spins: processes that hand it to each other pass no progress label of the third. */
byte lock, work;
active [3] proctype User() {
  do
  :: atomic { lock == 0 -> lock = _pid + 1 };
     if
     :: _pid == 2 ->
progress: work = 0
     :: else -> work = (work + 1) % 30
     fi;
     lock = 0
  od
}
