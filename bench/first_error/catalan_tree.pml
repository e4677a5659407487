/* violated: safety
   Processes grow a binary tree as long as there are nodes left; one node too many is counted. */
byte nodes;
byte leaves;
proctype Node(byte depth) {
  atomic { nodes++; assert(nodes < 40) };
  if
  :: depth > 0 && nodes < 39 -> run Node(depth - 1); run Node(depth - 1)
  :: depth > 0 -> leaves++
  :: depth == 0 -> leaves++
  fi
}
init { run Node(5) }
