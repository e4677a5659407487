/* Arrays of bits hold bytes (as SPIN stores them), single bits hold one bit.
 * expect: holds states=81 transitions=128
 */
bit flags[3];
bool b;
bit single;

active [2] proctype p() {
  flags[_pid] = flags[_pid + 1] + 2;
  b = flags[0] + 1;
  single = flags[1];
  b = b + single;
  flags[2]++
}
