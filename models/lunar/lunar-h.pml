/*
 * LUNAR (see lunar.pml), scenario h: as g, joined in the middle; one way breaks, and then the other one leads to the
 * target directly.
 *
 * expect: holds states=6820 transitions=22497
 * expect: holds states=5094497 transitions=19907509 with -DFLOWS=2 slow
 */
#define N 5
#define LINKS   up(0, 1); up(0, 2); up(1, 3); up(2, 3); up(3, 4); up(1, 2)
#define CHANGES down(1, 3); up(2, 4)
#include "lunar.pml"
