/* Atomic sequences that block on a full or an empty channel in the middle.
 * expect: holds states=9 transitions=8
 */
chan q=[1] of {byte};
byte x;

active proctype P(){
  atomic {
    q!1;
    q!2;
    x++;
    q!3
  }
}

active proctype Q(){
  byte k;
  atomic {
    q?k;
    x=k;
    q?k;
    x = x+k;
    q?k
  }
}
