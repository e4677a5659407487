/* Sorted sends compare field by field, with negative numbers.
 * expect: holds states=17 transitions=16
 */
chan q = [5] of { short, byte };
short last;
byte n;

active proctype p() {
  q!!3, 1;
  q!!-2, 5;
  q!!3, 0;
  q!!-2, 4;
  q!!0, 9
}
active proctype r() {
  len(q) == 5;
  q?eval(-2), n;
  assert(n == 4);
  do
  :: q?last, n
  :: empty(q) -> break
  od;
  assert(last == 3 && n == 1)
}
