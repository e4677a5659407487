/* atomic with jumps in, out and to another atomic sequence; a selection at its end; nested atomic. */
byte x;

active proctype P() {
  goto inside;
start:
  atomic {
    x = 1;
inside:
    x = 2;
    if
    :: x == 3 -> goto other
    :: x == 4 -> goto done
    :: else
    fi
  };
  atomic {
    x = 5;
other:
    atomic { x = 6; x = 7 };
    goto start
  };
done:
  x = 8
}
