/* violated: safety
   The first process publishes its address last, after seven others have looked it up: a null address is used. */
#define N 7
byte address;
byte looked;
active proctype Registry() {
  byte n;
  do :: n < 30 -> n++ :: n == 30 -> break od;
  address = 1
}
active [N] proctype Client() {
  byte n, a;
  do :: n < 6 -> n++ :: n == 6 -> break od;
  a = address;
  atomic { if :: a == 0 -> looked++ :: else fi; assert(looked < N) }
}
