/* violated: safety
   A customer fills a basket with five of eleven things at once; the cashier does not know one basket. */
chan basket = [5] of { byte };
active proctype Customer() {
  byte i, thing;
  do
  :: atomic {
       empty(basket);
       for (i : 1 .. 5) { select(thing : 1 .. 11); basket ! thing };
       i = 0; thing = 0
     }
  od
}
active proctype Cashier() {
  byte a, b, c, d, e;
  do
  :: atomic { full(basket); basket ? a; basket ? b; basket ? c; basket ? d; basket ? e };
     assert(!(a == 2 && b == 7 && c == 1 && d == 8 && e == 2));
     a = 0; b = 0; c = 0; d = 0; e = 0
  od
}
