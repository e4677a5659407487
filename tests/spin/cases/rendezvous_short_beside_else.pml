/* A rendezvous send with too few fields, offered beside else, under an escape and again with timeout.
 * expect: violated states=49 transitions=71 errors=18
 */
chan c = [0] of { byte, byte };
byte x;
active proctype S() {
  byte i;
  do
  :: i < 3 -> i++; if :: c!i :: else -> x = i fi
  :: else -> break
  od
}
active proctype T() {
  { c!1; x = 5 } unless { x == 2 }
}
active proctype R() {
  byte a;
  do
  :: c?1, a
  :: timeout -> break
  od
}
