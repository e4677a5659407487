/* violated: safety
   A loop that counts up and down in a large range and may leave at any time, then fails. */
byte g;
active proctype P() {
  short n = 16000;
  do :: n < 32000 -> n++ :: n > 0 -> n-- :: break od;
  g = 1;
  assert(false)
}
