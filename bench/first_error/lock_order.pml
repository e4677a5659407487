/* violated: safety
   Six processes take two of three locks each, in the order in which they need them. */
bit lock[3];
byte work;
proctype P(byte a, b) {
  byte n;
  do
  :: n < 3 ->
       atomic { lock[a] == 0 -> lock[a] = 1 };
       n++;
       atomic { lock[b] == 0 -> lock[b] = 1 };
       work = (work + 1) % 5;
       lock[b] = 0;
       lock[a] = 0
  :: n == 3 -> break
  od
}
init { atomic { run P(0, 1); run P(1, 2); run P(0, 2); run P(0, 1); run P(1, 2); run P(2, 0) } }
