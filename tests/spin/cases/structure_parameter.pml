/* A structure as parameter is a copy.
 * expect: holds states=42 transitions=63
 */
typedef A {
  byte v;
  bit b
};
byte g;

proctype P(A a; byte k) {
  g = a.v + k;
  a.v++ ;
  g = a.v
}

init {
  A z;
  z.v = 7;
  z.b=1;
  run P(z, 3);
  run P(z,1)
}
