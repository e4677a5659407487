#define N 3
1..N  N..1 .N N.N 0xe+N 1e-N a.N
don't expand N here /* not a comment
N
"str N" 'N' '"' N
#if 0
don't "care
#else garbage is fine
x
#endif trailing
# 
#
 # define  Q  7  
Q
a\
b N\
N /\
* comment *\
/ N
// line comment \
 continued N
N /* multi
line */ N /* again
 */ # define X
"a\
b" '\'' "\"" "\\"
x /**/ y/**/z
@ ` \ $ a$b $a
\#include "x"
c_code { \#include "foo.h" }
	tab	N
a+\
b c
N N \
N N
#line 100
__LINE__
N

N
# 7 "foo.c"
__LINE__ __FILE__
#line 50 "bar.c"
N __FILE__
