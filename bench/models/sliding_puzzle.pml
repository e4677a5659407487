/*
 * The sliding puzzle (the "15 puzzle", 1880): tiles 1 to ROWS * COLUMNS - 1 and a gap; a tile beside the gap moves in.
 *
 * An array whose indices are data. The counterpart of pancakes.pml: here a checker that remembers steps does well,
 * because a step looks at the gap and its neighbours only.
 *
 * Options: -DROWS=..., -DCOLUMNS=...  (ROWS * COLUMNS)! / 2 + 1 states
 * Property: the gap is where it is thought to be (assertion).
 *
 * expect: holds states=361 transitions=841
 * expect: holds states=1814401 transitions=4717441 with -DCOLUMNS=5 slow
 */
#ifndef ROWS
#define ROWS 2
#endif
#ifndef COLUMNS
#define COLUMNS 3
#endif
#define CELLS (ROWS * COLUMNS)

byte board[CELLS];
byte gap;

inline move(from) {
  assert(board[gap] == 0);
  board[gap] = board[from];
  board[from] = 0;
  gap = from
}

active proctype player() {
  byte i;

  d_step {
    for (i : 1 .. CELLS - 1) { board[i] = i }
    i = 0
  }
  do
  :: d_step { gap % COLUMNS > 0 -> i = gap - 1; move(i); i = 0 }
  :: d_step { gap % COLUMNS < COLUMNS - 1 -> i = gap + 1; move(i); i = 0 }
  :: d_step { gap >= COLUMNS -> i = gap - COLUMNS; move(i); i = 0 }
  :: d_step { gap < CELLS - COLUMNS -> i = gap + COLUMNS; move(i); i = 0 }
  od
}
