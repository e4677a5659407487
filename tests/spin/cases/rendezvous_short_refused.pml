/* A rendezvous send with too few fields that no receive accepts.
 * expect: violated states=2 transitions=2 errors=2
 */
chan c = [0] of { byte, byte };
byte x;
active proctype S() {
  do
  :: c!1
  :: x = 1 - x
  od
}
active proctype R() {
  byte a;
end:
  do
  :: c?2, a
  od
}
