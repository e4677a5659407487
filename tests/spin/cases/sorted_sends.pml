/* Sorted sends keep the queue in order; random receives take from anywhere.
 * expect: violated(end-state) states=174 transitions=259 errors=1
 */
mtype = { low, mid, top };
chan q = [4] of { mtype, byte };
byte last;

active [2] proctype producer() {
  q!!mid, 3 - _pid;
  q!!top, _pid
}
active proctype consumer() {
  byte v;
  mtype m;
  q??low, v unless { len(q) > 2 };
  q!!low, 0;
  do
  :: q??mid, v -> last = v
  :: q?m, v -> last = m
  :: empty(q) -> break
  od
}
