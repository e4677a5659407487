#define f(x,y) x y
#define M p q
a /* c
 d */ b
f(a,
  b) c d
f(a,
  b) M e
f(a,
  b
) c/**/d
one f
two three
f
(1,2) g
 f(1
#define Z 5
 Z,2) k
f(
   1
   ,
   2
  ) 

x
#define C :
C: C: -C> C-> N..3 1..N
 lst f
#if 1
 ( 1, 2) z
#endif
