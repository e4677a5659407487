/* Nested structures with arrays and a channel; arrays of structures; a field of a message.
 * expect: holds states=13 transitions=12
 */
typedef A {
  byte v[2];
  bit b
};

typedef B {
  A a[2];
  short s;
  chan c = [2] of {byte}
};
B b;
B d[2];
chan q = [2] of { A };

active proctype P(){
  byte i;
  b.a[1].v[0] = 3;
  i = 1;
  b.a[i].v[i] = 4;
  d[i].a[i].b = 1;
  d[0].c!3;
  d[1].c!4;
  d[0].c?i;
  q!b.a[1];
  q?d[1].a[0];
  b.s = -3;
  d[1].s = b.s - 70000
}
