/* printf with all formats, printm, and strings that look like code.
 * expect: holds states=19 transitions=28
 */
mtype = { alpha, beta };
mtype m = beta;
byte x;

active proctype p() {
  printf("x = %d; %c %e %u %x %o // no comment\n", x, 65, m, 7, 8, 9);
  printm(m);
  printm(alpha);
  printf("/* { :: \" -> */");
  x++
}
active proctype q() {
  x++
}
