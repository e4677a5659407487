/* Sends, receives, polls and sorted sends inside d_step.
 * expect: holds states=18 transitions=23
 */
chan q = [4] of { byte, byte };
byte a, b;

active [2] proctype p() {
  d_step {
    nfull(q) -> q!!2, _pid;
    if
    :: nfull(q) -> q!!1, _pid
    :: else -> skip
    fi
  };
  d_step {
    q??[2, _] -> q??2, a;
    do
    :: q?[1, eval(a)] -> q?1, b
    :: else -> break
    od;
    a = 0
  }
}
