#undef g
#define g(...) __VA_ARGS____VA_ARGS__##_
#undef g
#define g(...) k __VA_ARGS__ 
#undef k
#define k(p0) p0#p0/**/
#undef D
#define D 
D&&
} A Dg
(h(A )\
D )  (a,b)	
#undef k
#define k(p0, p1, p2) #p2  
#undef E
#define E 1.."s" k !   < ## <
#if 0
h
(C
(x))\
f()

#else
D\
D
#endif
g (k)23 h (% \
 k(f
(?? \
 )  ~	[,,->/**/^\
) \
 )  ..\
&&/* 
 */|\

#undef E
#define E f (-	): >> 23 
?? g D {h(;/**/|  k
(,"s"k(C  ,!!  C/* 
 */,)>,||	~B)	)/* 
 */f  @ 1  
#undef C
#define C ()u8D(x) 
#undef E
#define E 1../**/g(|\ A	){1
#undef g
#define g(p0, p1, ...) __VA_ARGS____VA_ARGS__
| %	]g
(A ,(x),)
|| @k(f	,<< E \
 ,?? ~/**/) B\
; A
#ifdef A
y\
f
(k
(D  --
,++k(>>/**/% },,^/**/B  C) \
 } ,B\
g
/
)?? 1 )\

#else
() && 
#endif
||/**/=

#undef B
#define B 
#undef B
#define B A g (g\ ,- \  D ,...)
k (A [ g	,! ::	,g (E,;k (() ,:	,1e/* 
 */D),=
)E/**///* 
 */)/* 
 */
