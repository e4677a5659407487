/* for over a range, an array and a channel; select of constants, of variables, and over more than 33 values. */
typedef M { byte v }
chan q = [2] of { M };
byte a[3];
byte i, n;

active proctype P() {
  M m;
  for (i : 1 .. n + 1) { a[i] = i };
  for (i in a) { n = n + a[i]; if :: n > 3 -> break :: else fi };
  for (m in q) { n = m.v };
  select(i : 1 .. 3);
  select(i : n .. 3);
  select(i : 1 .. 40)
}
