/* #if with expressions and defined, #undef and redefinition, line continuation.
 * expect: violated(end-state) states=38 transitions=49 errors=1
 */
#define LEVEL 2
#if LEVEL > 1 && defined(LEVEL) && !defined(NOTHING)
#define STEPS 3
#elif LEVEL
#define STEPS 1
#else
#error no level
#endif
#ifndef STEPS
bad text here
#endif
#undef LEVEL
#define LEVEL (STEPS \
  + 1)
byte n;

active proctype p() {
  do
  :: n < LEVEL -> n++
  :: n == LEVEL -> break
  od
}
active proctype q() {
  n == STEPS -> n = 0
}
