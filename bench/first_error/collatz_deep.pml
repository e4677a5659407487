/* violated: safety
   The longest Collatz run below 3,000 has more steps than the counter was made for. */
int start = 1, n;
short steps;
init {
  do
  :: start < 3000 ->
       n = start; steps = 0;
       do
       :: n == 1 -> break
       :: n > 1 && n % 2 == 0 -> n = n / 2; steps++
       :: n > 1 && n % 2 == 1 -> n = 3 * n + 1; steps++
       od;
       assert(steps < 216);
       start++
  :: else -> break
  od
}
