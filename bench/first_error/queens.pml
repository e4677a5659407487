/* violated: safety
   Eight queens: an inconvenient way to ask for a solution is to assert that there is none. */
#define N 8
byte row[N];
byte n;
init {
  byte r, i;
  bool ok;
  do
  :: n < N ->
       select(r : 0 .. N - 1);
       skip;
       d_step {
         ok = true; i = 0;
         do
         :: i < n -> if :: row[i] == r || row[i] + n == r + i || row[i] + i == r + n -> ok = false :: else fi; i++
         :: else -> break
         od;
         i = 0
       };
       if :: ok -> row[n] = r; n++ :: else -> goto stuck fi
  :: n == N -> assert(false)
  od;
stuck:
  skip
}
