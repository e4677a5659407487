/*
 * A pile of sand on a table of 8 x 8 fields (Bak, Tang, Wiesenfeld 1987): a field with four grains or more may topple,
 * that is, give one grain to each of its neighbours. What reaches the border stays there.
 *
 * Bad for a checker that remembers steps: one process whose 36 guards read most of a large array, so each state needs a
 * computation of its own (0 % known). A step writes five fields.
 *
 * Options: -DGRAINS=...  grains that start on one field in the middle
 * Property: all runs end. There is no assertion on top of that.
 *
 * expect: holds states=54 transitions=134
 * expect: holds states=2149362 transitions=13930904 with -DGRAINS=68 slow
 */
#ifndef GRAINS
#define GRAINS 24
#endif

#define SIDE 8

byte field[SIDE * SIDE];

#define TOPPLE(at) :: d_step { \
    field[at] >= 4 -> \
      field[at] = field[at] - 4; \
      field[at - 1]++; \
      field[at + 1]++; \
      field[at - SIDE]++; \
      field[at + SIDE]++ }
#define ROW(y) TOPPLE((y) * SIDE + 1) TOPPLE((y) * SIDE + 2) TOPPLE((y) * SIDE + 3) \
               TOPPLE((y) * SIDE + 4) TOPPLE((y) * SIDE + 5) TOPPLE((y) * SIDE + 6)

active proctype sand() {
  field[3 * SIDE + 3] = GRAINS;
end:
  do
  ROW(1) ROW(2) ROW(3) ROW(4) ROW(5) ROW(6)
  od
}
