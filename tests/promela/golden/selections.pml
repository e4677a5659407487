/* if and do nested as first statements of options, break, else, empty options. */
byte x;

active proctype P() {
  do
  :: if
     :: x == 0 -> x = 1
     :: do :: x == 1 -> x = 2 :: x == 2 -> break od
     fi
  :: x == 3 -> break
  :: else -> x = 3
  od;
  if
  :: x == 3; -> skip
  :: else
  fi;
  x = 0
}
