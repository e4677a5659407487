/* Bits, arrays of bits, unsigned and short: values cut on assignment and in messages.
 * expect: holds states=17 transitions=16
 */
bit b[3];
bit s;
chan q=[2] of {bit};
chan r=[2] of {bit,bit};
byte x;
unsigned u : 3;
short h;

active proctype P(){
  bit k;
  b[0]=2;
  b[1]=255;
  s = 2;
  s=3;
  q!2;
  q?x;
  r!2,3;
  r?x,k;
  u = 9;
  u = u+7;
  u--;
  h = 40000;
  x = 300;
  x = -1;
  h = b[0]+b[1]
}
