/* Handshakes between atomic sequences: control goes to the receiver.
 * expect: holds states=34 transitions=49
 */
chan r=[0] of {byte};
byte x;

active proctype P(){
  byte i;
  atomic {
    i=1;
    r!i;
    i=2;
    x++;
    r!i;
    x++
  }
}

active proctype Q(){
  byte k;
  atomic {
    r?k;
    x = x+k;
    x++;
    r?k;
    x=0
  }
}

active proctype R(){
  x++;
  x--;
  x++
}
