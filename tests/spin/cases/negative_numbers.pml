/* Negative constants, macros of negative numbers, shorts below zero, modulo.
 * expect: holds states=15 transitions=14
 */
#define LOW -3
short s = LOW;
int i;

active proctype p() {
  do
  :: s < 0 -> s = s - LOW - 2; i = i + s % 2
  :: s >= 0 -> break
  od;
  i = - i;
  i = i -LOW;
  assert(i == 4 || i == 3 || i == 5)
}
