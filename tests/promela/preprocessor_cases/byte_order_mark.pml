#define N 4
N \ 
N
