












+  >>]  "s"
%	f(D? \
 0x1
) 
A  y	../* 
 */#
#undef h
#define h() 
~/* 
 */>> g()/**/h() ] <=h()= 
#undef k
#define k(p0, p1) 
A/* 
 */-> ..\
L\
f
() \
 k(,L	k (D ,./**/)) \
 (x)  B	
#undef f
#define f(p0, p1) p0 x## p1p1/**/#p0/**/
0x1 0x1 
#undef h
#define h(p0) 
#undef A
#define A f(,@ )#/**/k (,AL)
#undef g
#define g(p0) # p0 p0## 1p0
y

#undef B
#define B 
#undef h
#define h(...) __VA_ARGS__/**/, ## __VA_ARGS__ E#__VA_ARGS__/**/#__VA_ARGS__ 






h() f(1..=/**/B\
,) L	@y  k
(f (g
(C+ )x
D\
,:	<= \
 )	?? ,)/**/--\
h
((x)
)/**/
