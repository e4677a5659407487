/*
 * LUNAR (see lunar.pml), scenario a: a chain whose links stay.
 *
 * expect: holds states=24 transitions=34
 * expect: holds states=1206 transitions=2387 with -DFLOWS=2
 */
#define N 4
#define LINKS   up(0, 1); up(1, 2); up(2, 3)
#include "lunar.pml"
