/* A proctype that never runs, and active [0].
 * expect: holds states=3 transitions=2
 */
byte x;

active [0] proctype none() { x = 9 }
proctype unused(byte n; chan c) { n = len(c) }
active proctype p() { x++ }
