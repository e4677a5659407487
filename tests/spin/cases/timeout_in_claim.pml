/* A claim that asks for timeout, which no process mentions: it is 0 while the system can move.
 * expect: holds property=safety states=2 transitions=2
 * expect: holds property=never_0 states=2 transitions=1
 */
byte x;

active proctype A() { do :: x = 1 - x od }

never { do :: timeout -> break :: x == 0 od }
