/* Arrays of channels inside a structure inside an array: every element is a channel of its own.
 * expect: holds states=29 transitions=44
 */
typedef Port {
  chan in = [1] of { byte };
  byte count
}
typedef Node {
  Port port[2];
  byte id
}
Node node[2];

active [2] proctype relay() {
  byte v;
  node[_pid].id = _pid;
  node[1 - _pid].port[_pid].in!_pid + 1;
  node[_pid].port[1 - _pid].in?v;
  node[_pid].port[0].count = v;
  assert(v == 2 - _pid)
}
