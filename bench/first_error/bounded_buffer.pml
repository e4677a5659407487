/* violated: safety
   A monitor whose waiters test with if and not with while: two consumers take one item. */
#define SIZE 3
byte n, notified;
bit mutex;
active [2] proctype Producer() {
  do
  :: atomic { mutex == 0 && n < SIZE -> mutex = 1 };
     n++;
     notified++;
     if :: notified > 2 -> notified = 2 :: else fi;
     mutex = 0
  od
}
active [3] proctype Consumer() {
  do
  :: atomic { mutex == 0 -> mutex = 1 };
     if
     :: n == 0 -> mutex = 0; atomic { notified > 0 && mutex == 0 -> notified--; mutex = 1 }
     :: else
     fi;
     assert(n > 0);
     n--;
     mutex = 0
  od
}
