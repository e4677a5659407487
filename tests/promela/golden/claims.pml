/* Never claims of every form: locals, else, timeout, jumps, atomic and d_step, unless, labels, inlines. */
byte x, y;
chan q = [2] of { byte };

inline seen(v) { v > 1; v == 1 }

active [2] proctype P() {
  byte k;
  lab: do :: x < 3 -> x++; k++ :: q!x :: timeout -> break od;
  away: goto lab
}

never {
  do :: x == 2 -> goto accept_s :: true od;
accept_s:
  do :: x == 2 od
}

never counting {
  byte c = 3, d;
  d = c;
accept:
  do
  :: c < 5 -> c++
  :: c == 5 -> break
  :: atomic { P@lab; progress: P[1]:k == 2 }
  :: d_step { x == 3; c = 2 }
  :: else
  od;
end1:
  if
  :: timeout -> goto accept
  :: enabled(0) && pc_value(1) == 3 -> assert(x != 2)
  :: _last == 1 && np_ -> skip
  :: q?[1] || full(q)
  fi
}

never chain { x == 1; x == 1 -> true; { y == 1; y == 2 } }

never escapes {
  { do :: x == 1 :: y == 1 -> y == 2 od } unless { x == 2 -> skip };
  end: do :: true od
}

never expanded {
  seen(x);
  if :: if :: x == 1 :: x == 2 -> seen(y) fi :: else fi;
  d_step { x == 1; if :: y == 1 -> y == 1 :: else fi };
  atomic { x == 3; if :: y == 2 :: y == 3 -> goto out fi };
  out: accept2: x == 0
}

never ends { do :: x == 3 -> endx: skip :: else -> progress: if :: y == 1 -> break :: y != 1 fi od; skip }

ltl { [] (x < 4) }
ltl late { <> (P[0]@lab && q?[2]) -> (x < 3 && y > 1 U !(P:k == 2)) }
