/* Separators in excess, and left out behind blocks and selections.
 * expect: holds states=19 transitions=18
 */
byte x;
active proctype P() {
  byte i = 0;
  ; x = 1;; x = 2;
  if :: x == 2 -> { x = 3; }; :: else -> skip; fi;
  do :: i < 2 -> i++; :: else -> break; od; ;
  { x = 4 } x = 5;
  atomic { x = 6; } x = 7
  d_step { x = 8; };
  if
  :: x == 8 ->
     x = 9
  :: else
  fi
  x = 10
};
;

