/* Sorted sends beside plain ones. */
chan c = [3] of { byte };
active proctype p() { c!!3; c!!1 }
active proctype q() { c!2; c!0 }
active proctype r() { byte x, y, z; c?x; c?y; c?z; assert(!(x == 1 && y == 2 && z == 3)); assert(!(x == 2 && y == 0)); assert(!(x == 3 && y == 2)) }
