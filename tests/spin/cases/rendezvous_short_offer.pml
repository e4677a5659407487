/* A rendezvous send with too few fields is an error as soon as it is offered: once for each state that offers it,
 * whoever takes it. In an atomic sequence, which loses its atomicity there, it is offered twice.
 * expect: violated states=11 transitions=21 errors=8
 */
chan c = [0] of { byte, byte };
byte x;
active proctype S() {
  do
  :: atomic { x = 1; c!1; x = 2 }
  :: x = 0
  od
}
active proctype R() {
  byte a, b;
  do
  :: c?a, b
  :: x == 1 -> x = 3
  od
}
