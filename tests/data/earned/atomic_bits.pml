/* verdicts: safety violated
   One step of an atomic sequence has 262,144 outcomes, one of which is an error. */
byte i, sum;
bit v[18];
active proctype P() {
  atomic { do :: i < 18 -> if :: v[i] = 0 :: v[i] = 1; sum++ fi; i++ :: else -> break od };
  assert(sum < 18)
}
