/* violated: safety
   A tree of processes of depth five; leaves report to a collector that expects one report less. */
chan reports = [8] of { byte };
proctype Node(byte depth) {
  if
  :: depth == 0 -> reports ! 1
  :: else -> run Node(depth - 1); run Node(depth - 1)
  fi
}
init {
  byte n, r;
  run Node(5);
  do
  :: reports ? r -> n = n + r; assert(n < 32)
  od
}
