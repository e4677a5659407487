/* verdicts: safety violated
   All processes are stuck in one state only: the last but one of a long count. */
short n;
byte b;
active proctype Count() { do :: n < 30000 && b < 5 -> n++ :: n == 30000 && b == 4 -> break od; false }
active proctype Other() { do :: n < 30000 && b < 4 -> b++ :: n < 30000 && b > 0 -> b-- od }
