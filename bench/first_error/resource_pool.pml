/* violated: safety
   Five customers of a bank with 10 units claim up to four, one at a time, and nobody asks whether that is safe. */
byte units = 10;
active [5] proctype Customer() {
  byte has;
  do
  :: has < 4 -> atomic { units > 0 -> units--; has++ }
  :: has == 4 -> do :: has > 0 -> has--; units++ :: has == 0 -> break od
  od
}
