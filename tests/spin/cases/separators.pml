/* Semicolons and arrows in excess, before ends, after blocks and declarations.
 * expect: holds states=19 transitions=18
 */
byte x;;

active proctype p() {
  byte y; ; x = 1;; ;
  if
  :: x == 1 -> ; x = 2 ;;
  :: else; skip;
  fi -> x = 3;
  do :: x > 0; -> x-- -> skip :: x == 0 -> break; od;
  { x = 4; };
  atomic { x = 5 -> x = 6; } x = 7;
};
