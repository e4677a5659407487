/* A d_step that begins with a rendezvous receive.
 * expect: holds states=28 transitions=42
 */
chan c = [0] of { byte };
byte x;

active proctype s() {
  do
  :: x < 8 -> c!1
  :: x < 8 -> c!2
  :: x >= 8 -> break
  od
}
active proctype r() {
  byte v;
end:
  do
  :: d_step { c?1; x = x + 3; x-- }
  :: d_step { c?v; x = x + v; v = 0 }
  od
}
