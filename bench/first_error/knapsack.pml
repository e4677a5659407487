/* violated: safety
   Some of 14 things are packed in one go; the assertion says that no choice weighs exactly what the scales allow. */
#define N 14
byte weight[N], packed[N];
short total;
init {
  byte i;
  d_step {
    i = 0;
    do :: i < N -> weight[i] = 5 + (i * 37) % 23; i++ :: else -> break od;
    i = 0
  }
  do
  :: atomic {
       total = 0;
       for (i : 0 .. N - 1) {
         if :: packed[i] = 1; total = total + weight[i] :: packed[i] = 0 fi
       };
       i = 0
     };
     assert(total != 11)
  od
}
