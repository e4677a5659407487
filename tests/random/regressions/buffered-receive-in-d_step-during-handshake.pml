/* A d_step that begins with a receive from a buffered channel cannot start in the middle of a handshake (random_diff
 * 202050-unless).
 * expect: states=11 transitions=14 assertions=2 errors=5
 */
chan q7 = [0] of { byte };
chan q8 = [2] of { byte };
byte g, h;
active proctype P0() { q7?_ }
active proctype P1() { q8!1; q7!0 }
active proctype P2() { d_step { q8?g; assert(g == 0) } }
active [2] proctype P3() {
  d_step {
    if
    :: q8??2 -> h++
    :: q8?1 -> h = h + 2
    fi
  }
}
