/* Valid end states: end labels in every process, and one that lacks it.
 * expect: violated(end-state) states=12 transitions=14 errors=2
 */
chan q = [1] of { byte };
byte x;

active proctype server() {
  byte v;
end_loop:
  do
  :: q?v -> x = v
  od
}
active proctype client() {
  q!1;
  q!2;
end: x == 3
}
active proctype other() {
  x == 1;
  x == 5
}
