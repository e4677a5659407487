/* A claim that asks for timeout, which a formula mentions, too, as in timeout_in_claim_and_process.pml.
 * expect: holds property=safety states=2 transitions=2
 * expect: violated(end-of-claim) property=never_0
 * expect: holds property=calm
 */
byte x;

active proctype A() { do :: x = 1 - x od }

never { do :: timeout -> break :: x == 0 od }
ltl calm { [](timeout -> x == 0) }
