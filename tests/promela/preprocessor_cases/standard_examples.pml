#define EMPTY
#define LPAREN (
#define RPAREN )
#define F(x, y) x + y
#define ELLIP_FUNC(...) __VA_ARGS__
ELLIP_FUNC(F, LPAREN, 'a', 'b', RPAREN);
#define x 3
#define f(a) f(x * (a))
#undef x
#define x 2
#define g f
#define z z[0]
#define hq g(~
#define m(a) a(w)
#define w 0,1
#define t(a) a
#define p() int
#define q(x) x
#define r(x,y) x ## y
#define str(x) # x
f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);
g(x+(3,4)-w) | hq 5) & m
(f)^m(m);
p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };
char c[2][6] = { str(hello), str() };
#define xstr(s) str(s)
#define debug(s, t) printf("x" # s "= %d, x" # t "= %s", \
 x ## s, x ## t)
#define INCFILE(n) vers ## n
#define glue(a, b) a ## b
#define xglue(a, b) glue(a, b)
#define HIGHLOW "hello"
#define LOW LOW ", world"
debug(1, 2);
fputs(str(strncmp("abc\0d", "abc", '\4') // this goes away
 == 0) str(: @\n), s);
xstr(INCFILE(2).h)
glue(HIGH, LOW);
xglue(HIGH, LOW)
#define t2(x,y,z) x ## y ## z
int j[] = { t2(1,2,3), t2(,4,5), t2(6,,7), t2(8,9,),
 t2(10,,), t2(,11,), t2(,,12), t2(,,) };
#define showlist(...) puts(#__VA_ARGS__)
#define report(test, ...) ((test)?puts(#test): printf(__VA_ARGS__))
showlist(The first, second, and third items.);
report(x>y, "x is %d but y is %d", x, y);
#define NIL(xxx) xxx
#define G_0(arg) NIL(G_1)(arg)
#define G_1(arg) NIL(arg)
G_0(42)
#define e(fmt, ...) printf(fmt, ## __VA_ARGS__)
e("a") e("a",) e("a", b, c) e(,)
#define e2(args...) Q(, ## args)
e2() e2(1) e2(1,2)
#define hash_hash # ## #
#define mkstr(a) # a
#define in_between(a) mkstr(a)
#define join(c, d) in_between(c hash_hash d)
char p[] = join(x, y);
#define ff(a) a*gg
#define gg(a) ff(a)
ff(2)(9)
#define foo() bar
foo
()
foo ()  foo( ) foo/* */( /*
*/ ) tail
foo EMPTY () EMPTY foo EMPTY
#define AA BB
#define BB AA
AA BB
-EMPTY- +EMPTY+ <EMPTY< .EMPTY. 1EMPTY 2 EMPTY 3
#define EQ =
=EQ EQ= EQ EQ= EQEQ
#define PLUS +
+PLUS -PLUS PLUS+ f(PLUS)
[-]EMPTY[x]
#define lp (
f lp 1)
t(f) (1)
t(t)(t)(3)
__LINE__ str(__LINE__) xstr(__LINE__) q(
__LINE__
) q(__LINE__
) __LINE__
__FILE__ __INCLUDE_LEVEL__ __COUNTER__ __COUNTER__
