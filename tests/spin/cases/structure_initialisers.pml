/* The initial value of a structure is ignored, also of an array of structures, of a local one and of a field; initial values of the type's fields count.
 * expect: holds states=31 transitions=50
 */
typedef S { byte z; byte y = 2 };
typedef T { byte a = 3; S s = 4; byte b };
byte x;
T u = 5;
T w[3] = 7;
active [2] proctype P() {
  T l = 5;
  assert(u.a == 3 && u.b == 0 && u.s.z == 0 && u.s.y == 2);
  assert(w[1].a == 3 && w[2].b == 0 && l.a == 3 && l.b == 0);
  x++;
  x = x + l.a
}
