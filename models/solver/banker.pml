/*
 * The banker's algorithm (Dijkstra 1965): customers borrow one coin at a time, up to what they have announced, and pay back
 * when they have had all of it. The banker lends only if there is an order in which everyone can still be served.
 *
 * Shows: "there is an order" as a guard: a permutation is looked for, and arrays are indexed by what is looked for.
 *
 * Options: -DGREEDY  lend whenever there is a coin: customers wait for each other's coins
 *          -DLARGE   seven customers instead of three: 823,543 tuples to look through
 * Properties: nobody waits for ever (no invalid end state): violated with GREEDY.
 *
 * expect: violated(end-state) states=629 transitions=1558 errors=1 with -DGREEDY
 * expect: holds states=621 transitions=1534
 * expect: holds states=215395 transitions=1006422 slow solver with -DLARGE
 */
#define PROMELA_S 1
#ifndef LARGE
#define N 3
#define COINS 4
#define WANTS(i) (2 + (i) % 2)
#else
#define N 7
#define COINS 2
#define WANTS(i) (1 + (i) % 2)
#endif

byte coins = COINS;
byte has[N];
byte wants[N];  /* what is still to come */

/* Once customer i has one coin more, and the bank one less: can p be served, behind those before him, who paid back? */
#define MORE(p) ((p) == i)
#define SERVED(p, back) (wants[p] - MORE(p) <= coins - 1 + back)
#define BACK(p) (has[p] + MORE(p))
#ifndef LARGE
#define SAFE \
  (exists (a : 0 .. 2, b : 0 .. 2, c : 0 .. 2) \
    (a != b && a != c && b != c && SERVED(a, 0) && SERVED(b, BACK(a)) && SERVED(c, BACK(a) + BACK(b))))
#else
#define SAFE \
  (exists (a : 0 .. 6, b : 0 .. 6, c : 0 .. 6, d : 0 .. 6, e : 0 .. 6, f : 0 .. 6, g : 0 .. 6) \
    (a != b && a != c && a != d && a != e && a != f && a != g && b != c && b != d && b != e && b != f && b != g && \
     c != d && c != e && c != f && c != g && d != e && d != f && d != g && e != f && e != g && f != g && \
     SERVED(a, 0) && SERVED(b, BACK(a)) && SERVED(c, BACK(a) + BACK(b)) && SERVED(d, BACK(a) + BACK(b) + BACK(c)) && \
     SERVED(e, BACK(a) + BACK(b) + BACK(c) + BACK(d)) && \
     SERVED(f, BACK(a) + BACK(b) + BACK(c) + BACK(d) + BACK(e)) && \
     SERVED(g, BACK(a) + BACK(b) + BACK(c) + BACK(d) + BACK(e) + BACK(f))))
#endif
#ifdef GREEDY
#define LENDS (coins > 0)
#else
#define LENDS (coins > 0 && SAFE)
#endif

active [N] proctype customer() {
  byte i = _pid;
  atomic { wants[i] = WANTS(i) };
  do
  :: wants[i] > 0 -> atomic { LENDS -> coins--; has[i]++; wants[i]-- }
  :: wants[i] == 0 -> break
  od;
  atomic { coins = coins + has[i]; has[i] = 0 }
}
