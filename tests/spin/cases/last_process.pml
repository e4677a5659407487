/* _last is the process of the last step.
 * expect: holds states=111 transitions=178
 */
byte n;

active [2] proctype p() {
  byte same;
  n++;
  if
  :: _last == _pid -> same = 1
  :: else -> same = 2
  fi;
  n--
}
