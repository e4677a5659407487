/* An atomic sequence stops at a handshake if nobody is ready; a local step of another process decides. */
chan rv = [0] of { byte };
byte g, h;
active proctype p() {
  byte l;
  l = 1;
  rv?h
}
active proctype q() {
  atomic {
    g = 1;
    rv!1;
    g = 2
  }
}
active proctype r() {
  g == 1 && h == 0;
  assert(false)
}
