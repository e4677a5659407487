/* violated: safety
   Retransmission by timeout with acknowledgements that come late: an order is carried out twice. */
chan orders = [2] of { byte };
chan acks = [2] of { byte };
byte paid[4];
active proctype Customer() {
  byte n, a;
  for (n : 0 .. 3) {
    orders ! n;
    do
    :: acks ? a -> if :: a == n -> break :: else fi
    :: timeout -> orders ! n
    od
  }
}
active proctype Shop() {
  byte n;
  do
  :: orders ? n ->
       paid[n]++;
       assert(paid[n] == 1);
       if
       :: acks ! n
       :: skip
       fi
  od
}
