/* Both sides of a handshake atomic: control passes to the receiver and back to the sender.
 * expect: holds states=55 transitions=91
 */
chan c = [0] of { byte };
byte x;

active proctype a() {
  atomic { x = 1; c!1; x = x * 2; x = x + 1 };
  x = 0
}
active proctype b() {
  byte v;
  atomic { c?v; x = x + 10; x = x + v; v = 0 };
  x++
}
active proctype other() {
  x++
}
