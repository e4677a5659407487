/* for over an array.
 * expect: holds states=20 transitions=19
 */
byte a[4];
byte s;

active proctype P(){
  byte i;
  for (i in a) {
    a[i] = i*2;
    s = s + a[i]
  }
}
