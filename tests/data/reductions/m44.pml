/* What a formula looks at in one state is not all that it looks at: y does not matter while x is 0. */
bit x, y = 1, z;
active proctype p() { byte l; l = 1; y = 0; l = 2 }
active proctype q() { byte l; l = 1; x = 1; l = 2 }
active proctype r() { byte l; l = 1; z = 1 }
ltl never_both { [] !(x && y) }
ltl in_the_end { <> (x && !y) }
ltl first { !x U !y }
ltl after { [] (x -> (y U !y)) }
