/* violated: safety
   A trip through seven towns that is cheaper than 36, by a process that goes anywhere. */
#define N 7
bit seen[N];
byte at, cost, visited, price[49];
init {
  byte t, i, j;
  d_step {
    for (i : 0 .. N - 1) { for (j : 0 .. N - 1) { price[i * N + j] = 3 + (i * 5 + j * 3 + i * j) % 9 } }
    i = 0; j = 0
  }
  do
  :: visited < N ->
       select(t : 0 .. N - 1);
       if
       :: !seen[t] && t != at -> atomic { cost = cost + price[at * N + t]; seen[t] = 1; at = t; visited++ }
       :: else -> goto off
       fi
  :: visited == N -> assert(cost >= 36); break
  od;
off:
  skip
}
