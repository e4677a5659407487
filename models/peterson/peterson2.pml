/*
 * Peterson's mutual exclusion, 2 processes: see peterson.pml.
 *
 * expect: holds states=294 transitions=540
 */
#define N 2
#include "peterson.pml"
