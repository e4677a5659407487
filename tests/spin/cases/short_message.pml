/* Fewer fields sent than the channel's messages have: where it cannot be reached, nothing happens.
 * expect: holds states=5 transitions=4
 */
chan q = [2] of { byte, byte };
byte x, y;
active proctype P() {
  q!1, 2;
  if
  :: x == 9 -> q!3
  :: else -> q?x, y
  fi
}
