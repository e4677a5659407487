/* A poll of a message in the middle. */
chan c = [3] of { byte, byte };
active proctype p() { c!1,2; c!2,3; c!3,4 }
active proctype q() { byte x, y; if :: c??[2,3] -> c??2,y; assert(y == 3); c!9,9 :: c?<x,y> -> assert(x == 1) :: c?x,eval(y) fi; assert(len(c) < 2) }
active proctype r() { byte x; if :: c?3,x -> assert(false) :: c??3,x -> assert(x == 4); assert(len(c) == 0) fi }
