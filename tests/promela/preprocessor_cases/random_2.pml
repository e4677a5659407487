#undef B
#define B e/**/>> .   < ## <
#undef k
#define k(p0, p1, p2) 
h() \
 ~\
|\
&&=
h
()?? 
#undef D
#define D .5A  k (C \  B C ,|\ h ,h )1e
#undef A
#define A g(::g A/**/)   - ## > B
#undef B
#define B ?hL y 
#undef f
#define f() f()/**/>=/**/fC 
h/* 
 */f()1e  h (k(,&& \
 L</* 
 */,g (++  )	|/* 
 */) \
 )  k
(,,(a,b)\
) B ??
#undef A
#define A L??-- 
#if 0
k/* 
 */"s" 
#else
f ()	>

#endif
&&
k(,] \
 ,g()	)...]/**/[\
1..\
k(()	|\
,== ,D )
