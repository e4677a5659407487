/*
 * LUNAR (see lunar.pml), scenario d: a diamond of which one way breaks.
 *
 * expect: holds states=293 transitions=592
 * expect: holds states=7789 transitions=8088 steps=statement
 * expect: violated(assertion) states=219 transitions=470 errors=2 with -DMAXSER=1
 * expect: holds states=394 transitions=779 with -DFOREVER
 * expect: holds states=36695 transitions=99898 with -DFLOWS=2
 */
#define N 4
#define LINKS   up(0, 1); up(1, 3); up(0, 2); up(2, 3)
#define CHANGES down(1, 3)
#include "lunar.pml"
