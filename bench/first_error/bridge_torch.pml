/* violated: safety
   Four people cross a bridge by twos with a torch, in 17 minutes at best. Found by an assertion on the time. */
bit side[4], torch;
byte minutes, pace[4];
init {
  byte a, b, slower;
  atomic { pace[0] = 1; pace[1] = 2; pace[2] = 5; pace[3] = 10 }
  do
  :: select(a : 0 .. 3); select(b : 0 .. 3);
     if
     :: side[a] == torch && side[b] == torch ->
          atomic {
            slower = (pace[a] > pace[b] -> pace[a] : pace[b]);
            side[a] = 1 - torch; side[b] = 1 - torch; torch = 1 - torch;
            if :: minutes < 60 -> minutes = minutes + slower :: else fi
          }
     :: else
     fi;
     assert(!(side[0] + side[1] + side[2] + side[3] == 4 && minutes <= 17))
  od
}
