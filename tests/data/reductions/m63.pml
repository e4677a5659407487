chan c = [2] of { byte }; byte g;
active proctype A() { c!5; if :: c!!1; if :: g == 5 -> assert(false) :: else fi :: c!2 fi }
active proctype B() { c?g }
