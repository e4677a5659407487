/* Jumps into, out of and between atomic sequences: atomicity holds from the target on.
 * expect: holds states=33 transitions=41
 */
byte x, y;

active proctype p() {
  goto inside;
start:
  atomic {
    x++;
inside:
    y++;
    y < 4 -> x++;
    if
    :: x < 6 -> goto other
    :: x >= 6 -> goto finish
    fi;
    x = 99
  };
  atomic {
    skip;
other:
    x++;
    goto start
  };
finish:
  x = 0
}
active proctype q() {
  atomic { y = 1; x < 3; y = 0 }
}
