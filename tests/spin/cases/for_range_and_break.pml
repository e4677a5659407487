/* for over ranges of macros and constants, with break; over an array.
 * expect: holds states=33 transitions=32
 */
#define N 3
byte a[N];

active proctype P(){
  byte i;
  for (i : 0 .. N-1) {
    a[i] = i
  } for (i : 0..2) {
    a[i] = i+1;
    if
    :: i==1 -> break
    :: else
    fi
  };
  int k;
  for (k in a) {
    a[k]--
  }
}
