/*
 * Peterson's mutual exclusion, 3 processes: see peterson.pml.
 *
 * expect: holds states=45915 transitions=128653
 */
#define N 3
#include "peterson.pml"
