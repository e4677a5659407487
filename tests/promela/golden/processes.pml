/* D_proctype, provided, priorities, active with a count, run with a priority, claims beside. */
byte x;

D_proctype D(byte k) provided (x < 3) { x = k }
active [3] proctype A() priority 4 { x++ }
init priority 2 {
  run D(5) priority 6;
  set_priority(0, 1);
  x = get_priority(_pid);
  _priority = 3
}
never { do :: x < 9 :: x == 9 -> break od }
ltl late { <> (x == 3) }
