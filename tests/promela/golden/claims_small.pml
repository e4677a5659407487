/* Small claims, each of another form of product with the model. */
byte x;
bool flag;
active proctype P() {
  byte k;
  l0: do :: x < 3 -> cs: x++; k++ :: x == 3 -> x = 0; k = 0 od
}
active proctype Q() { byte y; do :: y = 1 - y :: flag = !flag od }

never n1 { T0: do :: x == 2 -> goto accept_s :: true od; accept_s: do :: x == 2 od }
never n2 { do :: x == 2 -> break :: true od }
never n4 { do :: assert(x != 2) od }
never n5 { do :: x < 3 od }
never n7 { x == 1; x == 1; x == 1; }
never d1 { do :: true od }
never d2 { accept: do :: x < 3 :: x == 3 od }
never d3 { q0: true; q1: true; q2: true; q3: do :: true od }
never d4 {
  a: if :: true -> goto a :: true -> goto b fi;
  b: if :: true -> goto c fi;
  c: if :: true -> goto a fi
}
never d5 { do :: true :: x == 3 -> goto accept_b od; accept_b: do :: x == 3 od }
never t2 { do :: true :: timeout -> break od }
never t3 { do :: timeout -> break od }
never t4 { do :: !timeout :: timeout -> goto accept_x od; accept_x: do :: true od }
never r1 { do :: P@cs -> break :: else od }
never r2 { do :: P:k == 2 -> break :: else od }
never r3 { do :: _last == 1 :: else -> goto accept_a od; accept_a: do :: _last != 1 od }
never r4 { do :: enabled(0) :: !enabled(0) -> break od }
never r6 { byte c; do :: c < 5 -> c++ :: c >= 5 -> break od }
never r8 { do :: x = 1 od }
never s1 { do :: x == 0 :: x == 1 -> goto accept_z od; accept_z: do :: true od }
ltl r7a { [] (x <= 3) }
ltl r7b { []<> (x == 3) }
ltl r7c { <>[] (P:k < 4) }
