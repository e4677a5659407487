/*
 * A measures how long a message to B and back takes, with two semaphores. The clock runs from A's post(b) to the end of
 * A's wait(a), and each such interval must contain exactly one complete turn of B.
 *
 * Shows: that a measurement can answer itself. Named semaphores outlive the processes: a token that an earlier run left
 * in `a` ends A's wait at once, and from then on every interval is one turn too early. The same happens if B posts
 * before it waits.
 *
 * Options: -DLEFTOVER    a token of an earlier run is in `a`
 *          -DPOST_FIRST  B posts before it waits, in every turn
 * Properties: one turn of B in each timed interval (assertion), nobody waits for ever.
 *
 * expect: holds states=126 transitions=190
 * expect: violated(assertion) states=514 transitions=906 errors=43 with -DLEFTOVER
 * expect: violated(assertion) states=412 transitions=700 errors=34 with -DPOST_FIRST
 */
#define ROUNDS 4

#ifdef LEFTOVER
byte a = 1;
#else
byte a;
#endif
byte b;

byte turns;  /* complete turns of B in the interval that is being timed */
bool timing;

#define WAIT(s) atomic { s > 0 -> s-- }
#define POST(s) s++

active proctype A() {
  byte round;

  WAIT(a);  /* 1, 2: B is there */
  do
  :: round < ROUNDS ->
     turns = 0;
     timing = true;  /* 3 */
     POST(b);
     WAIT(a);
     timing = false;  /* 5 */
     assert(turns == 1);
     round++
  :: else -> break
  od;
  POST(b)  /* the last wait of B, 6 */
}

active proctype B() {
  byte round;

  POST(a);  /* 2 */
  do
  :: round < ROUNDS ->
#ifdef POST_FIRST
     POST(a);
     WAIT(b);
     turns = turns + timing;
#else
     WAIT(b);
     turns = turns + timing;  /* 4 */
     POST(a);
#endif
     round++
  :: else -> break
  od;
  WAIT(b)
}
