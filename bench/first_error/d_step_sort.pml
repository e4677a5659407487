/* violated: safety
   Insertion sort in one step, with a mistake for equal keys; the array is filled with any numbers before. */
#define N 7
byte a[N];
byte i, j, t, moves;
init {
  do
  :: i = 0;
     do
     :: i < N -> if :: a[i] = 1 :: a[i] = 2 :: a[i] = 3 fi; i++
     :: else -> break
     od;
     skip;
     d_step {
       i = 1;
       do
       :: i < N ->
            t = a[i]; j = i;
            do
            :: j > 0 && a[j - 1] > t && (j > 1 || t != 2) -> a[j] = a[j - 1]; j--
            :: else -> break
            od;
            a[j] = t; i++
       :: else -> break
       od;
       j = 0; t = 0; i = 1
     };
     do
     :: i < N -> assert(a[i - 1] <= a[i]); i++
     :: else -> break
     od
  od
}
