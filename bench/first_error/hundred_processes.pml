/* violated: safety
   A hundred processes add one to a number, each in two steps. */
byte sum, done;
active [100] proctype Add() {
  byte t;
  t = sum;
  sum = t + 1;
  done++
}
active proctype Check() {
  done == 100;
  assert(sum == 100)
}
