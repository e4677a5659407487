/* A remote label of a process that is not there yet. */
byte g;
proctype c() { byte x; x = 1; L: x = 2; x = 3 }
active proctype p() { run c(); g = 1 }
active proctype q() { g == 1; if :: c[2]@L -> assert(false) :: skip fi }
