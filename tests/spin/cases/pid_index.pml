/* An array indexed by _pid arithmetic; a deadlock.
 * expect: violated(end-state) states=84 transitions=177 errors=1
 */
bool f[3];

active [3] proctype P(){
  pid me = _pid;
  f[me] = 1;
  f[(me+1)%3]==0 || f[(me+2)%3]==0;
  f[me]=0
}
