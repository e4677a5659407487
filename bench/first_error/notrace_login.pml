/* violated: notrace
   What must not happen: data before a login. The session forgets that a logout comes between. */
mtype = { LOGIN, DATA, LOGOUT };
chan net = [1] of { mtype };
notrace {
  do
  :: net ! LOGIN
  :: net ! DATA
  :: net ! LOGOUT -> break
  od;
  net ! DATA
}
active proctype Server() { mtype m; byte n; do :: net ? m -> n = (n + 1) % 40 od }
active proctype User() {
  byte n;
  net ! LOGIN;
  do
  :: n < 60 -> net ! DATA; n++
  :: n == 60 -> net ! LOGOUT; n = 0
  od
}
