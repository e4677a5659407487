/* len, empty, nempty, full, nfull and polls in larger conditions.
 * expect: violated(end-state) states=53 transitions=57 errors=2
 */
chan c[2] = [2] of { byte };
byte n;

active proctype p() {
  do
  :: nfull(c[0]) && len(c[1]) < 2 && n < 5 -> c[n % 2]!n; n++
  :: full(c[0]) || c[1]?[3] -> c[0]?_
  :: len(c[0]) + len(c[1]) > 2 -> c[1]?_
  :: n >= 5 && (empty(c[0]) || nempty(c[1])) -> break
  :: n >= 5 && len(c[0]) > 0 -> c[0]?_
  od
}
