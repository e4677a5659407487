/*
 * A stack machine that runs all programs at once: at each point it executes any instruction that its stack allows. So
 * the checker finds every stack that some program leaves, as a search for the shortest program does.
 *
 * One process, all instructions in one selection; together they look at the three numbers on top.
 *
 * Options: -DDEPTH=...   of the stack
 *          -DMODULUS=... numbers are 0 .. MODULUS - 1
 * Property: the stack pointer and the numbers stay in range (assertions); no deadlock.
 *
 * expect: holds states=1195 transitions=9871
 * expect: holds states=132 transitions=1026 with -DDEPTH=3 -DMODULUS=5
 * expect: holds states=419601 transitions=3519505 with -DDEPTH=5 -DMODULUS=16 slow
 */
#ifndef DEPTH
#define DEPTH 4
#endif
#ifndef MODULUS
#define MODULUS 6
#endif

byte stack[DEPTH], top;  /* numbers below `top` */

#define A stack[top - 2]
#define B stack[top - 1]

/* The two numbers on top are replaced with one. */
inline reduce(value) {
  A = (value) % MODULUS; B = 0; top--
}

inline check() {
  assert(top <= DEPTH && (top == 0 || B < MODULUS))
}

active proctype machine() {
  byte help;

  do
  :: d_step { top < DEPTH -> stack[top] = 1; top++; check() }                /* one */
  :: d_step { top >= 1 -> B = 0; top--; check() }                            /* drop */
  :: d_step { top >= 1 && top < DEPTH -> stack[top] = B; top++; check() }    /* duplicate */
  :: d_step { top >= 2 && top < DEPTH -> stack[top] = A; top++; check() }    /* over */
  :: d_step { top >= 2 -> help = A; A = B; B = help; help = 0; check() }     /* swap */
  :: d_step { top >= 3 -> help = stack[top - 3]; stack[top - 3] = A; A = B; B = help; help = 0; check() }  /* rotate */
  :: d_step { top >= 2 -> reduce(A + B); check() }
  :: d_step { top >= 2 -> reduce(A * B); check() }
  :: d_step { top >= 2 -> reduce(A + MODULUS - B); check() }
  :: d_step { top >= 2 && B > 0 -> reduce(A / B); check() }
  :: d_step { top >= 2 && B > 0 -> reduce(A % B); check() }
  od
}
