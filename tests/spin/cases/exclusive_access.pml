/* xr and xs.
 * expect: holds states=8 transitions=8
 */
chan q=[2] of {byte};
byte x;

active proctype P(){
  xs q;
  q!1;
  q!2
}

active proctype Q(){
  xr q;
  q?x;
  q?x
}
