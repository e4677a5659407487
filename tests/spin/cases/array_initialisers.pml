/* Initial values for arrays: one value for all, and a list.
 * expect: holds states=4 transitions=3
 */
bool b[2] = true;
int m[3] = {1,2,3};

init {
  m[0] = m[1] + m[2];
  b[0] = !b[1]
}
