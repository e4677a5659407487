/*
 * Peterson's mutual exclusion, 4 processes: see peterson.pml.
 *
 * expect: holds states=12645068 transitions=47576805 slow
 */
#define N 4
#include "peterson.pml"
