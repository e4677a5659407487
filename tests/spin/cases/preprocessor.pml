/* Pasting, stringizing, macros of several statements over line ends, #if.
 * expect: holds states=6 transitions=5
 */
#define CAT(a,b) a##b
#define STR(a) #a
#define INC(v,n) \
  v = v + n; \
  cnt++
#define EMPTY
#if defined(CAT) && (1+1==2)
byte CAT(v,1), cnt;
#else
bad
#endif
#ifdef linux
byte lin = 3;
#endif
active proctype P() { EMPTY INC(v1,
   3); printf(STR(hello)); EMPTY
 v1 = 1 }
