/*
 * LUNAR (see lunar.pml), scenario c: a diamond: two ways from source to target.
 *
 * expect: holds states=97 transitions=170
 * expect: holds states=13642 transitions=33509 with -DFLOWS=2
 */
#define N 4
#define LINKS   up(0, 1); up(1, 3); up(0, 2); up(2, 3)
#include "lunar.pml"
