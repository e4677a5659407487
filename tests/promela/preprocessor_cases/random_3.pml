#undef g
#define g() 
#undef g
#define g(...) __VA_ARGS__ #__VA_ARGS__ 
#undef h
#define h(p0, p1, p2) x/**/##  p2# p1 &
&&!! \
 >>
<<	h ==	
#undef g
#define g(p0, p1, p2) p0/**/
#undef C
#define C 
#undef k
#define k(p0, p1) g (ACp0,D!,)g p1##p1g (@ ,p0 ,A B)# p0# p0  

h(23 B,k(=\
g\
!!/**/,k)
( 1 )\
,C/**/D \
 )\
B =
~
f
(]/* 
 */L A/**/)
fA
#undef B
#define B :/**/!! 
D\
g(,. g (g (B
/?? ,E,!  B\
) ,C	,E	+/**/?? \
 )  E/* 
 */,A/**/h(,... ,A/* 
 */k
(A : \
 ( 1 )
,) \
 )D )	C
