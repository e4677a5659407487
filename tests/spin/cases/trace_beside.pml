/* A trace assertion beside a model: what the channels do, the counts are the system's.
 * expect: incomplete states=7 transitions=6
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
