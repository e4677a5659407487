/* violated: safety
   A ring of five: each offers a number to the right and listens to the left, and one that leaves after two rounds is missed. */
#define N 5
chan c[N] = [0] of { byte };
proctype Node(byte me) {
  byte n = me, r;
  do
  :: c[(me + 1) % N] ! n -> c[me] ? n; r = (r + 1) % 3
  :: c[me] ? n -> c[(me + 1) % N] ! n; r = (r + 1) % 3
  :: r == 2 -> break
  od
}
init { byte i; atomic { for (i : 0 .. N - 1) { run Node(i) } } }
