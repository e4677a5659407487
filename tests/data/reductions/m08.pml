/* 130 channels of one process. */
active proctype p() {
  chan c[130] = [1] of { byte };
  byte i;
  run q(c[129]);
  c[128]!3;
  if :: c[129]?i -> assert(i != 4) :: empty(c[129]) -> assert(len(c[128]) == 1) fi;
  c[0]!1;
  (false)
}
proctype q(chan k) { k!4; k!5 }
