/* An inline with a return value, called twice.
 * expect: holds states=53 transitions=83
 */
byte g;

inline add(a,b) {
  byte t;
  t = a + b;
  return t;
}

active proctype P(){
  byte z;
  z = add(2,3);
  g = z;
  z = add(z,z);
  g = z
}

active proctype Q() {
  g = 9;
  g = 8
}
