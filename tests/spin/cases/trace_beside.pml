/* A trace assertion beside a model: what the channels do, the counts are the system's.
 * expect: holds property=safety states=7 transitions=6
 * expect: holds property=trace
 */
mtype = { a, b };
chan q = [1] of { mtype };

active proctype p() {
  q!a; q!b
}
active proctype r() {
  q?a; q?b
}
trace {
  do
  :: q!a; q?a; q!b; q?b
  od
}
