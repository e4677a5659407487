/* A hidden variable that is only written. */
hidden byte h; byte g;
active proctype p() { h = 1; g = 1; h = 2; g = 2 }
active proctype q() { h = 3; g == 1; assert(false) }
