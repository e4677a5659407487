/*
 * LUNAR (see lunar.pml), scenario g: a diamond with a tail; one way of the diamond breaks.
 *
 * expect: holds states=922 transitions=2533
 * expect: holds states=215016 transitions=705553 with -DFLOWS=2 slow
 */
#define N 5
#define LINKS   up(0, 1); up(0, 2); up(1, 3); up(2, 3); up(3, 4)
#define CHANGES down(1, 3)
#include "lunar.pml"
