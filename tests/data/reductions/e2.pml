/* Local steps beside else and rendezvous, merged. */
chan rv = [0] of { byte };
byte g;
active proctype p() { byte l; g = 1; l = 1; l = 2; rv?l }
active proctype q() { g == 1; if :: rv!1 :: else -> assert(false) fi }
