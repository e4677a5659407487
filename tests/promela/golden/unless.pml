/* unless: nested, on atomic, on a loop, an escape that breaks, an escape that begins with a selection. */
byte x;

active proctype P() {
  { { x = 1; x = 2 } unless { x == 3 -> x = 4 }; x = 5 } unless { x == 6 -> x = 7 };
  atomic { x = 8; x = 9 } unless { x == 10 };
  do
  :: { do :: x < 11 -> x++ od } unless { x == 12 -> break }
  :: x = 13 unless { if :: x == 14 :: else -> skip fi }
  od
}
