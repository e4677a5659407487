/*
 * LUNAR (see lunar.pml), scenario x: a chain whose last link breaks for good: the target may never be reached, and
 * the source gives up.
 *
 * expect: violated(assertion) states=80 transitions=128 errors=3
 */
#define N 4
#define LINKS   up(0, 1); up(1, 2); up(2, 3)
#define CHANGES down(2, 3)
#include "lunar.pml"
