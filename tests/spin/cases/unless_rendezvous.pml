/* A rendezvous receive as the escape of an unless, and a send inside the main sequence.
 * expect: violated(end-state) states=8 transitions=7 errors=1
 */
chan stop = [0] of { bit };
chan data = [0] of { byte };
byte sum;

active proctype worker() {
  byte v;
  { do
    :: data?v -> sum = sum + v
    od
  } unless {
    stop?1;
    sum = 100
  }
}
active proctype driver() {
  data!1;
  { data!2; data!3 } unless { sum > 2; stop!1 };
  stop!1
}
