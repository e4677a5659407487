#define chk(n, e) chk2(n, e)
#define T(n) n
#if (2 || 3) != 1 || (2 ? 3 : 4) != 3
bad1
#endif
#if -1 > 0u
ok unsigned
#endif
#if (-1 >> 1) == -1 && (-1u >> 63) == 1 && 1 << 3 == 8
ok shift
#endif
#if 'a' == 97 && '\n' == 10 && 'ab' == 24930 && '\377' < 0 && '\x41' == 65
ok char
#endif
#if 010 == 8 && 0x10 == 16 && 0b11 == 3 && 10UL == 10 && 10llu == 10LLU
ok num
#endif
#if 1 ? 2 : (1/0)
ok cond
#endif
#if 0 && (1/0)
#elif 1 || 1/0
ok live
#elif 1/0
#endif
#if 1 - 1 - 1 == -1 && 7 % 4 * 2 == 6 && (1, 2) == 2 && ~0 == -1 && !0 && - - 1 == 1
ok assoc
#endif
#if undefined_name == 0 && true == 0
ok names
#endif
#if T(1) + T (2) == 3 && defined T && defined(T) + defined (U) == 1
ok macros
#endif
#if 1 == 1 == 1 && 3 > 2 > 0 && (1 ? 0 : 1 ? 2 : 3) == 0
ok chain
#endif
#if 9223372036854775807 + 1 < 0
wrap
#endif
#if 18446744073709551615u == -1
ok max
#endif
#ifdef linux
linux is unix linux
#endif
#ifndef __GNUC__
bad
#elif __GNUC__ >= 4
good
#endif
#ifdef A
#ifdef B
#else
#endif
#elif 1
x
#else
y
#endif
#if 0
#if 1
#else
#endif
#unknown directive
#error no
#endif
#define DEF defined
#if DEF(T) && DEF T
ok def
#endif
__STDC_VERSION__ __INT_MAX__ __SIZE_TYPE__ __x86_64__ __BYTE_ORDER__
