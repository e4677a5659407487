/* Escapes that begin with an if, a do, a receive, a jump target and an else branch.
 * expect: violated(end-state) states=68 transitions=97 errors=2
 */
chan c = [1] of { byte };
byte x;

active proctype p() {
  byte v;
  { x = 1; x = 2 } unless { if :: c?v -> x = 10 :: x == 2 -> x = 20 fi };
  { x = 3; x = 4 } unless { do :: c?v -> x = v :: x == 4 -> break od };
  { skip; x = 5 } unless { c?[9] -> goto end_p };
  x = 6;
end_p:
  skip
}
active proctype q() {
  c!8;
  c!9
}
