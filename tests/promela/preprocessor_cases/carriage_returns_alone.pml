a // bc
#define N 4 // dN __LINE__
/* ef
*/ g \ N#define F(x, y) x \  yF(1,2) __LINE__
h#if 0"x#endifit's__LINE__