/* Channel variables that are assigned, compared and passed on.
 * expect: violated(end-state) states=21 transitions=28 errors=1
 */
chan a = [1] of { byte };
chan b = [1] of { byte };
chan current;
byte x;

active proctype p() {
  current = a;
  current!1;
  current = b;
  current!2;
  if
  :: current == b -> current = a
  :: else
  fi;
  current?x
}
active proctype q() {
  a?_ unless { x == 1 }
}
