/* else beside rendezvous sends, and a handshake whose receiver is chosen by matching constants.
 * expect: holds states=41 transitions=44
 */
chan c = [0] of { mtype, byte };
mtype = { get, put };
byte v;

active [2] proctype client() {
  c!put(_pid);
  c!get(_pid)
}
active proctype server() {
  byte k;
  do
  :: c?put(k) -> v = k
  :: c?get(eval(1 - v)) -> skip
  :: c?get(eval(v)) -> v = 1 - v
  :: timeout -> break
  od
}
