/* Two processes that take two forks in opposite order: an invalid end state.
 * expect: violated(end-state) states=23 transitions=28 errors=1
 */
bool fork[2];

active [2] proctype eat() {
  atomic { !fork[_pid] -> fork[_pid] = true };
  atomic { !fork[1 - _pid] -> fork[1 - _pid] = true };
  fork[_pid] = false;
  fork[1 - _pid] = false
}
