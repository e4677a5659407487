/*
 * Peg solitaire on a square of 4 x 4 or 5 x 5 holes: a peg jumps over a neighbour into the empty hole behind and takes
 * the neighbour off.
 *
 * Bad for a checker that remembers steps: one process whose selection of all jumps reads the whole board.
 *
 * Options: -DSIDE=...   4 or 5
 *          -DEMPTY=...  the hole without a peg
 *          -DPEGS=...   only the first holes have pegs
 * Property: the last peg stays (assertion); all runs end.
 *
 * expect: holds states=1872 transitions=6168
 * expect: holds states=4543 transitions=15329 with -DSIDE=5 -DPEGS=14
 * expect: holds states=706392 transitions=4287268 with -DSIDE=5 slow
 */
#ifndef SIDE
#define SIDE 4
#endif
#ifndef EMPTY
#define EMPTY 1
#endif
#define HOLES (SIDE * SIDE)
#ifndef PEGS
#define PEGS HOLES
#endif

bit peg[HOLES];
byte left;

#define JUMP(from, over, to) \
  :: d_step { peg[from] && peg[over] && !peg[to] -> peg[from] = 0; peg[over] = 0; peg[to] = 1; left--; assert(left > 0) }
/* Along a line whose holes are `d` apart, both ways. */
#define PAIR(at, d) JUMP(at, at + d, at + 2 * d) JUMP(at + 2 * d, at + d, at)
#if SIDE == 5
#define LINE(at, d) PAIR(at, d) PAIR(at + d, d) PAIR(at + 2 * d, d)
#define BOARD LINE(0, 1) LINE(5, 1) LINE(10, 1) LINE(15, 1) LINE(20, 1) \
              LINE(0, 5) LINE(1, 5) LINE(2, 5) LINE(3, 5) LINE(4, 5)
#else
#define LINE(at, d) PAIR(at, d) PAIR(at + d, d)
#define BOARD LINE(0, 1) LINE(4, 1) LINE(8, 1) LINE(12, 1) LINE(0, 4) LINE(1, 4) LINE(2, 4) LINE(3, 4)
#endif

active proctype player() {
  byte i;

  d_step {
    for (i : 0 .. PEGS - 1) {
      if
      :: i != EMPTY -> peg[i] = 1; left++
      :: else
      fi
    }
    i = 0
  }
end:
  do
  BOARD
  od
}
