/* violated: safety
   An operator sets two dials and a switch at once; one combination of 131,072 was not thought of. */
byte left, right;
bit key;
byte set;
active proctype Operator() {
  byte a, b;
  do
  :: atomic {
       select(a : 0 .. 255);
       select(b : 0 .. 255);
       if :: key = 0 :: key = 1 fi;
       left = a; right = b; set++;
       assert(!(left == 137 && right == 42 && key == 1))
     };
     atomic { left = 0; right = 0; key = 0 };
     a = 0; b = 0;
  od
}
active proctype Lamp() { do :: set > 3 -> set = 0 od }
