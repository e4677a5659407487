/* A claim that asks for timeout, which a process mentions, too: where the claim cannot move otherwise, it is tried with
 * timeout = 1, although the system can move.
 * expect: holds property=safety states=2 transitions=2
 * expect: violated(end-of-claim) property=never_0
 */
byte x;

active proctype A() { do :: x = 1 - x :: timeout od }

never { do :: timeout -> break :: x == 0 od }
