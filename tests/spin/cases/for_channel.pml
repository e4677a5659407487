/* for over a channel while another process reads from it.
 * expect: violated(end-state) states=66 transitions=90 errors=7
 */
typedef M {
  byte x;
  bit y
};
chan q = [3] of { M };
byte s;

active proctype P(){
  M m;
  m.x=1;
  q!m;
  m.x=2;
  m.y=1;
  q!m;
  for (m in q) {
    s = s + m.x
  }
}

active proctype R(){
  M k;
  do
  :: q?k
  od
}
