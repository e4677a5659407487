/* select in and outside an inline, with an underscore in the name, over more than 33 values.
 * expect: holds states=477 transitions=576
 */
byte x;

inline f(v) {
  select(v : 0..3);
}

active proctype P(){
  byte a_b;
  select(x : 1..4);
  select(a_b : 1..3);
  f(x);
  select(x : 0..40)
}
