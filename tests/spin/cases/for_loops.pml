/* `for` over a range with expressions, over an array, and over a channel; nested, with break.
 * expect: holds states=180 transitions=293
 */
#define N 3
byte a[N];
typedef Msg { byte v; bit last }
chan c = [N] of { Msg };
byte sum;

active proctype p() {
  byte i, j;
  Msg m;
  for (i : 1 .. N) {
    a[i - 1] = i * 2;
    for (j : i .. a[0] + 1) {
      if
      :: j == 2 -> break
      :: else -> sum++
      fi
    }
  }
  for (i in a) {
    m.v = a[i];
    m.last = (i == N - 1);
    c!m
  }
  for (m in c) {
    sum = sum + m.v
  }
}
active proctype q() {
  sum > 1 -> sum = sum - 1
}
