/* Initial values: from other variables, lists, scalars for whole arrays, mtype constants, in parameters' scope.
 * expect: holds states=17 transitions=24
 */
mtype = { one, two };
byte n = 3;
int a = n * 2 + 1;
byte v[4] = { 1, 2, 3 };
short w[3] = -1;
mtype m = two;
bool flag = (3 > 2);
chan c = [2] of { mtype, byte };

proctype p(byte k) {
  byte x = k + 1;
  int y = x * a;
  byte z[2] = { 7, 8 };
  c!m, x;
  w[1] = y + z[1] + v[3]
}
init {
  run p(n);
  byte later = v[1];
  n = later;
  c?two, n
}
