/* A rendezvous send inside atomic hands control to the receiver and back.
 * expect: violated(end-state) states=45 transitions=60 errors=2
 */
chan c = [0] of { byte };
byte x;

active proctype s() {
  atomic { x = 1; c!5; x = 2; c!6; x = 3 }
}
active proctype r() {
  byte v;
  atomic { c?v; x = x + 10; x = x + v };
  c?v;
  x = x + v
}
active proctype other() {
  x == 2 || x == 16;
  x++
}
