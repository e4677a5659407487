/* Remote references to labels of statements, of a jump, of a loop, of an atomic sequence; remote variables. */
byte x;

proctype W(byte k) {
  byte v[2];
first:
  x = k;
jump:
  goto loop;
loop:
  do
  :: x < 3 -> x++
  :: else -> break
  od;
whole:
  atomic { x = 1; x = 2 }
}
init {
  run W(1);
  W[1]@first;
  W[1]@jump || W@loop;
  W@whole && W[1]:v[1] == 2 && W:k == 1;
  pc_value(1) == 2
}
