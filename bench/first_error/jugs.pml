/* violated: safety
   Jugs of 12, 7 and 5 litres, and one process that pours: can one measure six? */
byte jug[3], size[3];
init {
  byte a, b, t;
  atomic { size[0] = 12; size[1] = 7; size[2] = 5; jug[0] = 12 }
  do
  :: select(a : 0 .. 2); select(b : 0 .. 2);
     d_step {
       if
       :: a != b ->
            t = size[b] - jug[b];
            if :: t > jug[a] -> t = jug[a] :: else fi;
            jug[a] = jug[a] - t; jug[b] = jug[b] + t
       :: else
       fi;
       t = 0
     };
     assert(jug[0] != 6 || jug[1] != 6)
  od
}
