/* active with a count from a macro and an expression; init beside active processes; numbering by order of text.
 * expect: holds states=31 transitions=64
 */
#define N 2
byte first[5] = 9;

active [N] proctype a() { first[_pid] = 1 }
init { first[_pid] = 2 }
active [N * 2 - 3] proctype b() { first[_pid] = 3 }
