/* Messages in both notations; fields of different widths; constants in receives.
 * expect: holds states=8 transitions=8
 */
chan q=[2] of {short,byte,int};
int z;

active proctype P(){
  q!(-1)(300,70000);
  q!5,6,7
}

active proctype Q(){
  short a;
  byte b;
  q?a(b,z);
  q?5(6,z)
}
