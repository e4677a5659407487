/* Sends go on for ever if lost. An infinite loop beside a failing assertion. */
chan c = [1] of { byte };
byte g;
active proctype p() { do :: c!1 -> c?_ od }
active proctype q() { do :: skip od }
active proctype r() {
  if
  :: g = 1
  :: g = 2
  :: g = 3
  fi;
  assert(false)
}
