a
#define N 4
N
x \
 N y
/* 
 */ z
N