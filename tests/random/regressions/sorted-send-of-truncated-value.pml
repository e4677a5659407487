/* A sorted send compares the values as given, before truncation (random_diff 11486-channels).
 * expect: states=7 transitions=8 assertions=0 errors=0
 */
bool g7;
chan q8 = [2] of { byte, byte, byte };
active proctype P0(mtype a10) { q8!!g7,2,~a10 }
active proctype P1() { q8!0,2,0 }
