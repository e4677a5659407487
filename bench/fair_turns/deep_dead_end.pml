/* violated: safety
   One process, 85,000 states before the first dead end; the search goes deep or not at all. */
int at;
byte v;
active proctype P() {
  do
  :: at < 120000 -> at++; if :: v = (v + 7) % 5 :: at % 3 == 0 -> v = (v * 3) % 7 fi
  :: at == 120000 -> break
  od;
  false
}
