/* select and for beside globals. */
byte g, h;
active proctype p() { byte i; select (i : 1 .. 3); for (i : 0 .. 2) { g = g + i; if :: h == 2 && g == 3 -> assert(false) :: else fi } }
active proctype q() { byte i; select (i : 0 .. 2); h = i; if :: i == 2 -> g == 1; h = 0 :: else fi }
