/* Several named never claims in one text.
 * expect: holds property=safety states=4 transitions=3
 * expect: violated(end-of-claim) property=first
 * expect: violated(end-of-claim) property=second
 */
byte x;

active proctype p() { x = 1; x = 2 }

never first { do :: x == 0 :: x != 0 -> break od }
never second { x == 0; x == 1 }
