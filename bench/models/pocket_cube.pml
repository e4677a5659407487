/*
 * The pocket cube (Rubik's cube of 2 x 2 x 2): eight corners, of which one is held; turns of the three other faces.
 *
 * Bad for a checker that remembers steps: one process whose selection of all turns reads every corner.
 *
 * Options: -DTWO_FACES  only two faces turn
 * Property: the twists of the corners add up to whole turns (assertion).
 *
 * expect: holds states=29161 transitions=116641 with -DTWO_FACES
 * expect: holds states=3674161 transitions=22044961 slow
 */

/* Places of corners: up, right, front, left, back, down. The corner at down, left, back is held. */
#define URF 0
#define UFL 1
#define ULB 2
#define UBR 3
#define DFR 4
#define DRB 5
#define DLF 6
#define CORNERS 7

byte corner[CORNERS];  /* by place: 3 * which corner + twist 0 .. 2 */

#define TWISTED(c, by) ((c) / 3 * 3 + ((c) + by) % 3)

/* Place a gets the corner at b, b that at c and so on, twisted by what follows the place that gets it. */
#define TURN(a, twist_a, b, twist_b, c, twist_c, d, twist_d) \
  :: d_step { \
       help = corner[a]; \
       corner[a] = TWISTED(corner[b], twist_a); \
       corner[b] = TWISTED(corner[c], twist_b); \
       corner[c] = TWISTED(corner[d], twist_c); \
       corner[d] = TWISTED(help, twist_d); \
       help = 0; \
       check() \
     }

inline check() {
  for (i : 0 .. CORNERS - 1) { sum = sum + corner[i] }
  assert(sum % 3 == 0);
  i = 0; sum = 0
}

active proctype player() {
  byte i, sum, help;

  d_step {
    for (i : 0 .. CORNERS - 1) { corner[i] = 3 * i }
    i = 0
  }
  do
  TURN(URF, 0, UBR, 0, ULB, 0, UFL, 0)  /* up */
  TURN(URF, 0, UFL, 0, ULB, 0, UBR, 0)
  TURN(URF, 2, DFR, 1, DRB, 2, UBR, 1)  /* right */
  TURN(URF, 2, UBR, 1, DRB, 2, DFR, 1)
#ifndef TWO_FACES
  TURN(URF, 1, UFL, 2, DLF, 1, DFR, 2)  /* front */
  TURN(URF, 1, DFR, 2, DLF, 1, UFL, 2)
#endif
  od
}
