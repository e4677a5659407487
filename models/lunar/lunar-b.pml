/*
 * LUNAR (see lunar.pml), scenario b: a chain; its last link breaks, and the last node comes into reach of the one
 * before.
 *
 * expect: holds states=223 transitions=393
 * expect: violated(assertion) states=124 transitions=228 errors=3 with -DMAXSER=1
 * expect: holds states=277 transitions=501 with -DFOREVER
 * expect: holds states=14592 transitions=30836 with -DFLOWS=2
 */
#define N 4
#define LINKS   up(0, 1); up(1, 2); up(2, 3)
#define CHANGES down(2, 3); up(1, 3)
#include "lunar.pml"
