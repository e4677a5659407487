/*
 * LUNAR (see lunar.pml), scenario f: as e, and then source and target meet.
 *
 * expect: holds states=2087 transitions=6128
 * expect: holds states=657748 transitions=2396482 with -DFLOWS=2 slow
 */
#define N 4
#define LINKS   up(0, 1); up(1, 3); up(0, 2); up(2, 3); up(1, 2)
#define CHANGES down(1, 3); up(0, 3)
#include "lunar.pml"
