/* for over a channel with more than one field in a structure; another process reads in between.
 * expect: holds states=152 transitions=229
 */
typedef M { byte a; byte b }
chan c = [3] of { M };
byte sum;

active proctype p() {
  M m;
  byte k;
  for (k : 1 .. 3) {
    m.a = k;
    m.b = k * k;
    c!m
  };
  for (m in c) {
    sum = sum + m.b
  };
  sum = 0
}
active proctype q() {
  M m;
  c?m
}
