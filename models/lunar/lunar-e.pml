/*
 * LUNAR (see lunar.pml), scenario e: a diamond whose two ways are joined in the middle; one breaks.
 *
 * expect: holds states=1032 transitions=2862
 * expect: holds states=315643 transitions=1122607 with -DFLOWS=2 slow
 */
#define N 4
#define LINKS   up(0, 1); up(1, 3); up(0, 2); up(2, 3); up(1, 2)
#define CHANGES down(1, 3)
#include "lunar.pml"
