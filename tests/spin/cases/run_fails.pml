/* With too many processes `run` yields 0 and blocks as a statement.
 * expect: holds states=80 transitions=177
 */
byte n;

proctype idle() {
  n == 200
}
init {
  pid p;
  do
  :: p = run idle();
    n++;
    if
    :: p == 0 -> break
    :: p == 5 -> break
    :: else
    fi
  od;
  n = 200
}
