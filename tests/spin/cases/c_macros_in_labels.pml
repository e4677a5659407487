/* Pasting and stringizing in macros that make labels and variables.
 * expect: holds states=42 transitions=62
 */
#define JOIN(a, b) a##b
#define COUNTER(n) byte JOIN(count_, n)
#define BUMP(n) JOIN(bump_, n): JOIN(count_, n)++; if :: JOIN(count_, n) < 2 -> goto JOIN(bump_, n) :: else fi
#define SHOW(n) printf(#n)
COUNTER(x);
COUNTER(y);

active proctype p() {
  BUMP(x);
  SHOW(done x);
  BUMP(y)
}
active proctype q() {
  count_x = 3
}
